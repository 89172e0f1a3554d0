// One encoder for all outputs of a stream: each connection takes what it gives from a queue of its own (`tap.ts`).
import { setMaxListeners } from 'node:events';
import { audioFormat } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { EncodedMessage, MessageQueue } from './message-queue.ts';
import { Tap } from './tap.ts';
import type { Given, TappedEncoder } from './tap.ts';

/** What an encoder gives from its first frame on. */
export interface Encoding {
  readonly audioSequenceHeader: Buffer;
  readonly messages: Pick<MessageQueue, 'next' | 'close' | 'secondsInHand'>;
}

/** Starts an encoder. @param signal ends it */
export type OpenEncoding = (startFrame: number, signal: AbortSignal) => Promise<Encoding>;

/** An encoder that is so much behind the frame that is asked for is of no use. */
const mostBehindSeconds = 5;

export interface TapRequest {
  /** What is encoded. */
  readonly key: string;
  readonly profile: Profile;
  readonly startFrame: number;
  readonly open: OpenEncoding;
}

/** All outputs of a role share an encoder. */
export function encoderKeyOf(streamID: string, role: string): string {
  return `${streamID}/${role}`;
}

/** What whoever only looks at what an encoder gives knows of it. It is another one for each encoder. */
export interface EncoderView {
  readonly profile: Profile;
  readonly startFrame: number;
  readonly audioSequenceHeader: Buffer;
}

/** Told what an encoder gives, with the sequence header of its pictures. It must not throw. */
export type Watcher = (given: Given, sequenceHeader: Buffer, view: EncoderView) => void;

/** The encoders of an agent, by what they encode. */
export class SharedEncoders {
  readonly #byKey = new Map<string, SharedEncoder>();
  readonly #watchers = new Map<string, Watcher>();

  /**
   * Has somebody look at what the encoders with a key give, from the last keyframe on, without taking anything from
   * them or keeping them from ending. One may look at a time.
   * @returns what ends it
   */
  watch(key: string, watcher: Watcher): () => void {
    this.#watchers.set(key, watcher);
    this.#byKey.get(key)?.showRecent(watcher);
    return () => {
      if (this.#watchers.get(key) === watcher) this.#watchers.delete(key);
    };
  }

  /**
   * Taps the encoder with this key, or starts one where none is there that keeps up. It begins with `startFrame`, or
   * with the last keyframe that the encoder gave.
   * @throws what `open` throws; the signal's reason
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
  /** Taps, and those who wait for one. */
  #users = 0;
  /** From the last keyframe on; empty before the first. */
  #recent: Given[] = [];
  #sequenceHeader: EncodedMessage | null = null;
  #soundGiven = 0;
  #giving: Promise<void> | null = null;

  /**
   * @param onOver told when nobody can tap it any more
   * @param watcher who looks at what it gives, if anybody does
   */
  constructor(
    { profile, startFrame, open }: Omit<TapRequest, 'key'>,
    onOver: () => void,
    watcher: () => Watcher | undefined,
  ) {
    // Each item's processes listen to it.
    setMaxListeners(0, this.#ending.signal);
    this.profile = profile;
    this.#startFrame = startFrame;
    this.#onOver = onOver;
    this.#watcher = watcher;
    this.#opening = open(startFrame, this.#ending.signal);
    this.#opening.catch(onOver);
  }

  /** Whether a tap would begin near enough to a frame. */
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

  /** Shows what was given since the last keyframe. */
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
