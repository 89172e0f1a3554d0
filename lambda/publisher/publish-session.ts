// One connection of a replica: from connecting to its end, with the media that belongs to the time at which it begins.
import type { Figures } from './figures.ts';
import { openAudioEncoder } from './ffmpeg/audio-encoder.ts';
import { audioFormat } from './ffmpeg/profile.ts';
import { openFrames } from './ffmpeg-media.ts';
import type { MediaOptions } from './ffmpeg-media.ts';
import { MessageQueue } from './message-queue.ts';
import { metadataOf } from './metadata.ts';
import { sendPaced } from './paced-sender.ts';
import { encodeAmf0 } from './rtmp/amf0.ts';
import { connectPublisher } from './rtmp/rtmp-client.ts';
import type { PublishTarget, RtmpClientOptions } from './rtmp/rtmp-client.ts';

export interface SessionOptions {
  readonly target: PublishTarget;
  readonly client: RtmpClientOptions;
  readonly media: Omit<MediaOptions, 'signal'>;
  readonly figures: Figures;
  /** Milliseconds since the run's anchor, by the database's clock; null while nothing was ever sent. */
  readonly elapsedMs: number | null;
  /** Fixes the anchor if no replica has yet; answers the milliseconds since. */
  readonly anchor: () => Promise<number>;
  readonly steadyClock: () => number;
  readonly onEvidence: () => void;
  readonly onSlow: (slow: boolean) => void;
}

/** A run that goes on begins this far ahead: by then the connection stands and its first picture is encoded. */
const startUpMs = 1000;

/**
 * Publishes until the signal aborts; then resolves, with the connection closed and no process left.
 * @throws DestinationError, MediaError, TooSlow, or anything else when it is our fault
 */
export async function runSession(options: SessionOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { target, client, media, figures, steadyClock, elapsedMs } = options;
  const framesPerMs = media.profile.framesPerSecond / 1000;
  const startFrame = elapsedMs === null ? 0 : Math.ceil((elapsedMs + startUpMs) * framesPerMs);

  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  const opening = openMessages({ ...media, signal: ending.signal }, startFrame);
  const connecting = connectPublisher(target, client, ending.signal);
  try {
    const [{ messages, audioSequenceHeader }, publisher] = await Promise.all([opening, connecting]);
    ending.signal.addEventListener('abort', () => void publisher.close(), { once: true });
    signal.throwIfAborted();
    figures.connected(startFrame);
    publisher.send([
      { type: 'data', timestampMs: 0, payload: encodeAmf0(['@setDataFrame', 'onMetaData', metadataOf(media.profile)]) },
      { type: 'audio', timestampMs: 0, payload: audioSequenceHeader },
    ]);
    const sinceAnchorMs = await options.anchor();
    const startMs = steadyClock() + Math.max(0, startFrame / framesPerMs - sinceAnchorMs);
    await sendPaced({ ...options, publisher, messages, startMs });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', end);
    ending.abort();
    await Promise.allSettled([connecting.then((publisher) => publisher.close()), opening.then(({ messages }) => messages.close())]);
  }
}

async function openMessages(media: MediaOptions, startFrame: number): Promise<{ messages: MessageQueue; audioSequenceHeader: Buffer }> {
  const source = await openFrames(media, startFrame);
  const encoder = openAudioEncoder(media.tools, { bitrateKbps: audioFormat.bitrateKbps }, media.signal);
  const messages = new MessageQueue(source, encoder, media.profile, startFrame);
  try {
    await messages.ready();
    return { messages, audioSequenceHeader: await encoder.sequenceHeader };
  } catch (error) {
    await messages.close();
    throw error;
  }
}
