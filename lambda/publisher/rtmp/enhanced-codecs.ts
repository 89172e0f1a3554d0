// Codecs that the server has to know Enhanced RTMP for (v2, Enhancing NetConnection connect Command): how they are announced, and what it answers.
import type { VideoCodec } from '../../domain/video-format.ts';
import { fourCC } from '../ffmpeg/video-tag.ts';
import type { Amf0Input, Amf0Value } from './amf0.ts';
import { asObject } from './command.ts';

/** Bits of the entries of videoFourCcInfoMap. */
const canDecode = 1;
const canEncode = 2;
const canForward = 4;
const anyCodec = '*';

/** What a connect command says of the codec that will be sent; of H.264 nothing, which every server takes. */
export function announcementOf(videoCodec: VideoCodec): Record<string, Amf0Input> {
  if (videoCodec === 'h264') return {};
  const name = fourCC[videoCodec];
  return { fourCcList: [name], videoFourCcInfoMap: { [name]: canEncode } };
}

/**
 * Whether a server may be sent the codec. One that lists codecs without it does not take it; many that do take it list none.
 * @param answer the values of the _result of connect
 */
export function takesCodec(videoCodec: VideoCodec, answer: readonly Amf0Value[]): boolean {
  if (videoCodec === 'h264') return true;
  const names = [fourCC[videoCodec], anyCodec];
  const [list, map] = (['fourCcList', 'videoFourCcInfoMap'] as const).map((field) =>
    answer.map((value) => asObject(value)[field]).find((found) => found !== undefined),
  );
  if (map !== null && typeof map === 'object' && !Array.isArray(map)) {
    const flags = asObject(map);
    return names.some((name) => typeof flags[name] === 'number' && (flags[name] & (canDecode | canForward)) !== 0);
  }
  return !Array.isArray(list) || names.some((name) => list.includes(name));
}
