// One item of a playlist as encoded pictures and raw sound, ready to be joined to the item before it.
import type { SoundLevel } from '../../domain/playout/sound.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { openAudioSource, silence } from './audio-source.ts';
import type { AudioSource } from './audio-source.ts';
import { openJoinedAudio } from './joined-audio.ts';
import type { JoinedAudioRequest } from './joined-audio.ts';
import type { VideoRequest } from './item-arguments.ts';
import { openVideoSource } from './video-source.ts';
import type { VideoSource } from './video-source.ts';

export interface ItemRequest extends VideoRequest {
  /** Whether the item has sound of its own. */
  readonly hasAudio: boolean;
  /** Whether the item's own sound is wanted. If not, `readSamples` returns silence. */
  readonly audio: boolean;
  /** Null or absent: the loudness is unchanged. */
  readonly level?: SoundLevel | null | undefined;
  /** Its sound with joins; absent: no joins. */
  readonly joinedSound?: JoinedAudioRequest | undefined;
}

/**
 * The pictures and the sound of an item. They are independent: each comes from an ffmpeg that works about 3 s ahead of
 * its own reader. `ready` is that of the pictures.
 */
export interface ItemSource extends VideoSource, AudioSource {}

export type AudioOnlyRequest = Pick<ItemRequest, 'sourceURL' | 'startFrame' | 'frameCount' | 'profile' | 'level'>;

/** Opens an item and begins to read it. `signal` ends it like `close`; readers then reject with its reason. */
export function openItem(tools: MediaTools, request: ItemRequest, signal: AbortSignal): ItemSource {
  const video = openVideoSource(tools, request, signal);
  const open = () =>
    request.joinedSound ? openJoinedAudio(tools, request.joinedSound, signal) : openAudioOnly(tools, request, signal);
  const audio = request.audio && request.hasAudio ? open() : silence;
  return {
    ready: video.ready,
    readFrame: () => video.readFrame(),
    readSamples: (sampleCount) => audio.readSamples(sampleCount),
    log: () => [video.log(), audio.log()].filter((log) => log !== '').join('\n'),
    close: async () => {
      await Promise.all([video.close(), audio.close()]);
    },
  };
}

/** The sound of an item for a range of the frame grid, without its pictures. */
export function openAudioOnly(
  tools: MediaTools,
  { sourceURL, startFrame, frameCount, profile, level }: AudioOnlyRequest,
  signal: AbortSignal,
): AudioSource {
  const startSample = startFrame * profile.samplesPerFrame;
  const sampleCount = frameCount * profile.samplesPerFrame;
  return openAudioSource(tools, { sourceURL, startSample, sampleCount, level }, signal);
}
