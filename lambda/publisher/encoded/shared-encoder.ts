// One encoder for all outputs of a stream. Each connection reads its media from a queue of its own (`tap.ts`).
import { setMaxListeners } from 'node:events';
import { audioFormat } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { EncodedMessage, MessageQueue } from './message-queue.ts';
import { Tap } from './tap.ts';
import type { Given, TappedEncoder } from './tap.ts';

/** The media of an encoder, from its first frame on. */
export interface Encoding {
  readonly audioSequenceHeader: Buffer;
  readonly messages: Pick<MessageQueue, 'next' | 'close' | 'secondsInHand'>;
}

/** Starts an encoder. @param signal ends it */
export type OpenEncoding = (startFrame: number, signal: AbortSignal) => Promise<Encoding>;

/** A running encoder this far behind the requested frame is not used. */
const mostBehindSeconds = 5;

export interface TapRequest {
  /** Identifies the encoder: see `encoderKeyOf`. */
  readonly key: string;
  readonly profile: Profile;
  readonly startFrame: number;
  readonly open: OpenEncoding;
}

/** The key of an encoder, which all outputs of a role share. */
export function encoderKeyOf(streamID: string, role: string): string {
  return `${streamID}/${role}`;
}

/** The read-only view of an encoder that its watcher gets. One object per encoder. */
export interface EncoderView {
  readonly profile: Profile;
  readonly startFrame: number;
  readonly audioSequenceHeader: Buffer;
}

/** Called with the media of an encoder, and the sequence header of its pictures. It must not throw. */
export type Watcher = (given: Given, sequenceHeader: Buffer, view: EncoderView) => void;

/** The running encoders of an agent, by key. */
export class SharedEncoders {
  readonly #byKey = new Map<string, SharedEncoder>();
  readonly #watchers = new Map<string, Watcher>();

  /**
   * Watches the media of the encoders with a key, from the last keyframe on. A watcher takes nothing from them and does
   * not keep them running. One watcher per key.
   * @returns a function that ends the watch
   */
  watch(key: string, watcher: Watcher): () => void {
    this.#watchers.set(key, watcher);
    this.#byKey.get(key)?.showRecent(watcher);
    return () => {
      if (this.#watchers.get(key) === watcher) this.#watchers.delete(key);
    };
  }

  /**
   * Taps the encoder with this key, or starts one if none keeps up. The tap begins with `startFrame`, or with the last
   * keyframe of the encoder.
   * @throws the errors of `open`; the signal's reason
   */
  async tap({ key, profile, startFrame, open }: TapRequest, signal: AbortSignal): Promise<Tap> {
    signal.throwIfAborted();
    const running = this.#byKey.get(key);
    if (running?.reaches(startFrame)) return running.tap(signal);
    const isCurrent = () => this.#byKey.get(key) === started;
    const started: SharedEncoder = new SharedEncoder(
      { profile, startFrame, open },
      () => void (isCurrent() && this.#byKey.delete(key)),
      () => (isCurrent() ? this.#watchers.get(key) : undefined),
    );
    this.#byKey.set(key, started);
    return started.tap(signal);
  }
}

class SharedEncoder implements TappedEncoder {
  readonly profile: Profile;
  readonly #startFrame: number;
  readonly #opening: Promise<Encoding>;
  readonly #ending = new AbortController();
  readonly #onOver: () => void;
  readonly #watcher: () => Watcher | undefined;
  #view: EncoderView | null = null;
  readonly #taps = new Set<Tap>();
  /** The number of taps, and of connections that wait for one. */
  #users = 0;
  /** The media from the last keyframe on; empty before the first. */
  #recent: Given[] = [];
  #sequenceHeader: EncodedMessage | null = null;
  #soundGiven = 0;
  #giving: Promise<void> | null = null;

  /**
   * @param onOver called when the encoder can no longer be tapped
   * @param watcher the current watcher, if there is one
   */
  constructor(
    { profile, startFrame, open }: Omit<TapRequest, 'key'>,
    onOver: () => void,
    watcher: () => Watcher | undefined,
  ) {
    // The processes of each item listen to this signal.
    setMaxListeners(0, this.#ending.signal);
    this.profile = profile;
    this.#startFrame = startFrame;
    this.#onOver = onOver;
    this.#watcher = watcher;
    this.#opening = open(startFrame, this.#ending.signal);
    this.#opening.catch(onOver);
  }

  /** Whether a tap would begin close enough to a frame. */
  reaches(frame: number): boolean {
    return this.#beginsWith >= frame - mostBehindSeconds * this.profile.framesPerSecond;
  }

  get #beginsWith(): number {
    return this.#recent[0]?.frame ?? this.#startFrame;
  }

  async tap(signal: AbortSignal): Promise<Tap> {
    this.#users++;
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const { audioSequenceHeader, messages } = await Promise.race([this.#opening, aborted.promise]);
      const tap = new Tap({ encoder: this, startFrame: this.#beginsWith, audioSequenceHeader, ahead: messages });
      for (const given of this.#recent) tap.give(given, this.#sequenceHeader);
      this.#taps.add(tap);
      return tap;
    } catch (error) {
      await this.#left();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async leave(tap: Tap): Promise<void> {
    if (this.#taps.delete(tap)) await this.#left();
  }

  async #left(): Promise<void> {
    this.#users--;
    if (this.#users > 0) return;
    this.#onOver();
    this.#ending.abort();
    await this.#opening.then(({ messages }) => messages.close()).catch(() => {});
  }

  giveNext(): Promise<void> {
    this.#giving ??= this.#give().finally(() => {
      this.#giving = null;
    });
    return this.#giving;
  }

  async #give(): Promise<void> {
    try {
      const { audioSequenceHeader, messages: source } = await this.#opening;
      this.#view ??= { profile: this.profile, startFrame: this.#startFrame, audioSequenceHeader };
      const messages = await source.next();
      const { picture, isKeyframe } = messages.at(-1)!;
      const given = { messages, frame: picture?.frame ?? null, isKeyframe, soundBefore: this.#soundGiven };
      if (picture === null) this.#soundGiven++;
      if (messages.length > 1) this.#sequenceHeader = messages[0]!;
      if (isKeyframe) this.#recent = [];
      if (isKeyframe || this.#recent.length > 0) this.#recent.push(given);
      for (const tap of this.#taps) tap.give(given, this.#sequenceHeader);
      this.#show(given, this.#watcher());
    } catch (error) {
      this.#onOver();
      throw error;
    }
  }

  /** Shows a watcher the media since the last keyframe. */
  showRecent(watcher: Watcher): void {
    for (const given of this.#recent) this.#show(given, watcher);
  }

  #show(given: Given, watcher: Watcher | undefined): void {
    if (watcher && this.#sequenceHeader && this.#view) watcher(given, this.#sequenceHeader.payload, this.#view);
  }

  timeOf(frame: number): number {
    return ((frame - this.#startFrame) * 1000) / this.profile.framesPerSecond;
  }

  soundBefore(frame: number): number {
    const samples = (frame - this.#startFrame) * this.profile.samplesPerFrame;
    return Math.round(samples / audioFormat.samplesPerAacFrame);
  }
}
