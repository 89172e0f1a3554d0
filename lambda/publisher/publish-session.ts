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
  readonly elapsedMs: () => number | null;
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
  const { target, client, media, figures, steadyClock } = options;
  const { profile, tools } = media;
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const fps = profile.framesPerSecond;
  const elapsedMs = options.elapsedMs();
  const startFrame = elapsedMs === null ? 0 : Math.ceil(((elapsedMs + startUpMs) * fps) / 1000);

  const opening = openMessages({ ...media, signal: until }, startFrame);
  const connecting = connectPublisher(target, client, until);
  try {
    const [messages, publisher] = await Promise.all([opening, connecting]);
    figures.connected();
    const encoder = messages.audioSequenceHeader;
    publisher.send([
      { type: 'data', timestampMs: 0, payload: encodeAmf0(['@setDataFrame', 'onMetaData', metadataOf(profile)]) },
      { type: 'audio', timestampMs: 0, payload: encoder },
    ]);
    const sinceAnchorMs = await options.anchor();
    const startMs = steadyClock() + Math.max(0, (startFrame * 1000) / fps - sinceAnchorMs);
    await sendPaced({ ...options, publisher, messages: messages.queue, startMs, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    ending.abort();
    await Promise.all([connecting.then((publisher) => publisher.close()).catch(() => {}), opening.then(({ queue }) => queue.close()).catch(() => {})]);
  }

  async function openMessages(mediaOptions: MediaOptions, frame: number) {
    const source = await openFrames(mediaOptions, frame);
    const encoder = openAudioEncoder(tools, { bitrateKbps: audioFormat.bitrateKbps }, until);
    const queue = new MessageQueue(source, encoder, profile, frame);
    try {
      await queue.ready();
      return { queue, audioSequenceHeader: await encoder.sequenceHeader };
    } catch (error) {
      await queue.close();
      throw error;
    }
  }
}
