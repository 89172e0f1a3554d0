// The media of the ffmpeg backend, encoded while it is sent, once for all connections of a stream.
import { openAudioEncoder } from '../ffmpeg/audio-encoder.ts';
import { bytesPerSecondOf } from '../ffmpeg/profile.ts';
import { openFrames } from './ffmpeg-media.ts';
import type { MediaOptions } from './media-options.ts';
import { MessageQueue, aheadSeconds } from './message-queue.ts';
import { sendPaced } from './paced-sender.ts';
import type { Encoding, SharedEncoders } from './shared-encoder.ts';
import type { Tap } from './tap.ts';
import type { Sending, StreamMedia } from '../replica/stream-media.ts';

/** Time to open the first item and to encode its first picture. */
const startUpMs = 1000;

export interface EncodedMediaOptions extends Omit<MediaOptions, 'signal'> {
  readonly encoders: SharedEncoders;
  /** Connections with the same key share an encoder. */
  readonly encoderKey: string;
}

export function encodedMedia(options: EncodedMediaOptions): StreamMedia {
  const { profile, encoders, encoderKey } = options;
  return {
    profile,
    startUpMs,
    async open(startFrame, signal) {
      const openAt = (frame: number, ending: AbortSignal) => openEncoding({ ...options, signal: ending }, frame);
      const tap = await encoders.tap({ key: encoderKey, profile, startFrame, open: openAt }, signal);
      const leave = () => void tap.close();
      signal.addEventListener('abort', leave, { once: true });
      const { framesPerSecond } = profile;
      const bytesPerSecond = bytesPerSecondOf(profile);
      return {
        startFrame: tap.startFrame,
        sequenceHeaders: [{ type: 'audio', timestampMs: 0, payload: tap.audioSequenceHeader }],
        send: (sending) =>
          sendPaced({
            ...sending,
            startMs: reachableStartMs(sending, tap),
            messages: tap,
            framesPerSecond,
            bytesPerSecond,
          }),
        close: async () => {
          signal.removeEventListener('abort', leave);
          await tap.close();
        },
      };
    },
  };
}

async function openEncoding(options: MediaOptions, startFrame: number): Promise<Encoding> {
  const { tools, profile, signal } = options;
  const source = await openFrames(options, startFrame);
  const encoder = openAudioEncoder(tools, signal);
  const messages = new MessageQueue(source, encoder, profile, startFrame);
  try {
    await messages.ready();
    return { messages, audioSequenceHeader: await encoder.sequenceHeader };
  } catch (error) {
    await messages.close();
    throw error;
  }
}

/**
 * The start of a connection that took longer than expected to connect. The sender can only catch up with the media that
 * is already encoded, as an encoder is not faster than real time. So the start is at most that far in the past.
 */
function reachableStartMs({ startMs, steadyClock }: Sending, { secondsInHand }: Tap): number {
  return Math.max(startMs, steadyClock() - Math.max(aheadSeconds, secondsInHand) * 1000);
}
