// The media of the ffmpeg backend: encoded while it is sent.
import { openAudioEncoder } from './ffmpeg/audio-encoder.ts';
import { audioFormat } from './ffmpeg/profile.ts';
import { openFrames } from './ffmpeg-media.ts';
import type { MediaOptions } from './ffmpeg-media.ts';
import { MessageQueue, aheadSeconds } from './message-queue.ts';
import { sendPaced } from './paced-sender.ts';
import type { StreamMedia } from './stream-media.ts';

const startUpMs = 1000;

export function encodedMedia(options: Omit<MediaOptions, 'signal'>): StreamMedia {
  return {
    profile: options.profile,
    startUpMs,
    async open(startFrame, signal) {
      const source = await openFrames({ ...options, signal }, startFrame);
      const encoder = openAudioEncoder(options.tools, { bitrateKbps: audioFormat.bitrateKbps }, signal);
      const messages = new MessageQueue(source, encoder, options.profile, startFrame);
      try {
        await messages.ready();
        return {
          startFrame,
          sequenceHeaders: [{ type: 'audio', timestampMs: 0, payload: await encoder.sequenceHeader }],
          // What waits in the queue makes up for a connection that took longer than expected; an encoder alone has nothing to catch up with.
          send: (sending) =>
            sendPaced({
              ...sending,
              startMs: Math.max(sending.startMs, sending.steadyClock() - aheadSeconds * 1000),
              messages,
            }),
          close: () => messages.close(),
        };
      } catch (error) {
        await messages.close();
        throw error;
      }
    },
  };
}
