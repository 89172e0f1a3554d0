// The media of the ffmpeg backend: encoded while it is sent.
import { openAudioEncoder } from '../ffmpeg/audio-encoder.ts';
import { audioFormat, bytesPerSecondOf } from '../ffmpeg/profile.ts';
import { openFrames } from './ffmpeg-media.ts';
import type { MediaOptions } from './ffmpeg-media.ts';
import { MessageQueue, aheadSeconds } from './message-queue.ts';
import { sendPaced } from './paced-sender.ts';
import type { Sending, StreamMedia } from '../replica/stream-media.ts';

/** Within this time the first item is opened and its first picture is encoded. */
const startUpMs = 1000;

export function encodedMedia(options: Omit<MediaOptions, 'signal'>): StreamMedia {
  return {
    profile: options.profile,
    startUpMs,
    async open(startFrame, signal) {
      const { framesPerSecond } = options.profile;
      const bytesPerSecond = bytesPerSecondOf(options.profile);
      const source = await openFrames({ ...options, signal }, startFrame);
      const encoder = openAudioEncoder(options.tools, { bitrateKbps: audioFormat.bitrateKbps }, signal);
      const messages = new MessageQueue(source, encoder, options.profile, startFrame);
      try {
        await messages.ready();
        return {
          startFrame,
          sequenceHeaders: [{ type: 'audio', timestampMs: 0, payload: await encoder.sequenceHeader }],
          send: (sending) =>
            sendPaced({ ...sending, startMs: reachableStartMs(sending), messages, framesPerSecond, bytesPerSecond }),
          close: () => messages.close(),
        };
      } catch (error) {
        await messages.close();
        throw error;
      }
    },
  };
}

/**
 * A connection that took longer than expected begins late. The sender catches up with what waits in the queue, but with
 * no more than that, as an encoder gives nothing faster than in real time. So the start is not further back than that.
 */
function reachableStartMs({ startMs, steadyClock }: Sending): number {
  return Math.max(startMs, steadyClock() - aheadSeconds * 1000);
}
