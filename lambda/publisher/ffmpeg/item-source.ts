// One item of a playlist as encoded pictures and raw sound, ready to be joined to the item before it.
import type { MediaTools } from '../media/media-tools.ts';
import { silence } from './audio-source.ts';
import type { AudioSource } from './audio-source.ts';
import { openComposedAudio } from './composed-audio.ts';
import type { ComposedAudioRequest } from './composed-audio.ts';
import type { VideoRequest } from './item-arguments.ts';
import { openVideoSource } from './video-source.ts';
import type { VideoSource } from './video-source.ts';

export interface ItemRequest extends VideoRequest {
  /** Null: `readSamples` gives silence. */
  readonly audio: ComposedAudioRequest | null;
}

/**
 * The pictures and the sound of an item. They are independent: each comes from an ffmpeg that works about 3 s ahead of
 * its own reader. `ready` is that of the pictures.
 */
export interface ItemSource extends VideoSource, AudioSource {}

/** Opens an item and begins to read it. `signal` ends it like `close`; readers then reject with its reason. */
export function openItem(tools: MediaTools, request: ItemRequest, signal: AbortSignal): ItemSource {
  const video = openVideoSource(tools, request, signal);
  const audio = request.audio ? openComposedAudio(tools, request.audio, signal) : silence;
  return {
    ready: video.ready,
    readFrame: () => video.readFrame(),
    readSamples: (sampleCount) => audio.readSamples(sampleCount),
    close: async () => {
      await Promise.all([video.close(), audio.close()]);
    },
  };
}
