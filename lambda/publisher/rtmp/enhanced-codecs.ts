// Codecs that need Enhanced RTMP v2: their announcement in a connect command, and the server's answer.
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import { fourCC } from '../ffmpeg/video-tag.ts';
import type { Amf0Input, Amf0Value } from './amf0.ts';
import { asObject } from './command.ts';

/** Bits of the entries of videoFourCcInfoMap (Enhanced RTMP v2, Enhancing NetConnection connect Command). */
const canDecode = 1;
const canEncode = 2;
const canForward = 4;
const anyCodec = '*';

/** Properties of a connect command that announce the codec. None for H.264, which every server takes. */
export function announcementOf(videoCodec: VideoCodec): Record<string, Amf0Input> {
  if (videoCodec === 'h264') return {};
  const name = fourCC[videoCodec];
  return { fourCcList: [name], videoFourCcInfoMap: { [name]: canEncode } };
}

/**
 * True if the codec may be sent to a server. A server whose list lacks the codec does not take it. Many servers that
 * take it have no list.
 * @param answer the values of the _result of connect
 */
export function takesCodec(videoCodec: VideoCodec, answer: readonly Amf0Value[]): boolean {
  if (videoCodec === 'h264') return true;
  const names = [fourCC[videoCodec], anyCodec];
  const answered = (field: string) =>
    answer.map((value) => asObject(value)[field]).find((found) => found !== undefined);
  const list = answered('fourCcList');
  const map = answered('videoFourCcInfoMap');
  if (map !== null && typeof map === 'object' && !Array.isArray(map)) {
    const flags = asObject(map);
    return names.some((name) => typeof flags[name] === 'number' && (flags[name] & (canDecode | canForward)) !== 0);
  }
  return !Array.isArray(list) || names.some((name) => list.includes(name));
}
