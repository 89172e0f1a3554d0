// A session of a contributor: its media is encoded once, stored as segments, and reported.
//
// States:
// - receiving: each segment is stored and reported. A report that finds the session unwanted ends it.
// - ending: the contributor has left, or the session failed. The whole segments are stored, then the end is recorded.
// While the database is away, segments are stored all the same, so that agents can continue to send them.
import { noSegments, withSegment } from '../domain/live/segment-chain.ts';
import type { StoredSegments } from '../domain/live/segment-chain.ts';
import type { SessionEnd } from '../domain/live/session-end.ts';
import type { SessionSignal } from '../domain/live/signal-loss.ts';
import { livePosterKey, liveSegmentKey } from '../domain/media/object-keys.ts';
import { gopSeconds } from '../domain/playout/rendition.ts';
import type { LiveSource } from '../domain/live/live-source.ts';
import type { Log } from '../log.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { ContributedTag, ContributionReceiver } from './contribution.ts';
import type { LiveFailure } from './live-failure.ts';
import type { LiveSegment } from './segment-encoder.ts';
import { openSessionEncoder } from './session-encoder.ts';
import type { SessionEncoder, SessionEncoderOptions } from './session-encoder.ts';

export interface ReceivedSessionOptions extends Pick<
  SessionEncoderOptions,
  'tools' | 'format' | 'encoder' | 'targetLUFS' | 'steadyClock' | 'log'
> {
  readonly id: string;
  readonly objects: SegmentStore;
  readonly records: SessionRecords;
  /** Ends the contributor's connection. */
  readonly disconnect: () => void;
}

/** Writes segments. A write that fails ends the session. */
export interface SegmentStore {
  write(key: string, body: Buffer, facts: Parameters<ObjectStore['write']>[2]): Promise<void>;
}

/** A session as the database gets to know it. */
export interface SessionProgress {
  readonly stored: StoredSegments;
  /** Null: no picture has come. */
  readonly firstPictureAgoSeconds: number | null;
  /** Null: not known yet. */
  readonly source: LiveSource | null;
  readonly signal: SessionSignal;
}

/** Records of a session in the database. */
export interface SessionRecords {
  /** @returns the reason to end the session; null: there is none */
  report(progress: SessionProgress): Promise<SessionEnd | null>;
  end(reason: SessionEnd, stored: StoredSegments): Promise<void>;
}

const segmentType = { contentType: 'application/octet-stream' };
const posterType = { contentType: 'image/jpeg' };
/** Segments that may wait for the object store: more are older than agents wait for. */
const mostWaitingSegments = 4;
const endWithinMs = 20_000;

export class ReceivedSession implements ContributionReceiver {
  /** Resolves when the end is recorded, or could not be. */
  readonly finished: Promise<void>;
  readonly #options: ReceivedSessionOptions;
  readonly #encoder: SessionEncoder;
  readonly #log: Log;
  readonly #left = Promise.withResolvers<SessionEnd>();
  #isOverloaded = false;
  #isOver = false;
  #isLost = false;
  #storing: Promise<void> = Promise.resolve();
  #waitingSegments = 0;
  #posters = 0;
  #isStoringPoster = false;
  #stored = noSegments;
  #source: LiveSource | null = null;

  constructor(options: ReceivedSessionOptions) {
    this.#options = options;
    this.#log = (event, fields) => options.log(event, { sessionID: options.id, ...fields });
    this.#encoder = openSessionEncoder({
      ...options,
      log: this.#log,
      onSegment: (segment) => this.#take(segment),
      onPoster: (poster) => void this.#storePoster(poster),
      onSource: (source) => {
        this.#source = source;
      },
      onFailed: (failure) => {
        this.#isOverloaded = failure.reason === 'overloaded';
        this.#leave(endOf(failure));
      },
    });
    this.finished = this.#finish();
  }

  /** Whether the contributor has left, or the session failed. Its last segments may still be stored. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves with the reason once the session is over. Its last segments may still be stored. */
  get left(): Promise<SessionEnd> {
    return this.#left.promise;
  }

  /** Whether it ended because this machine was too slow for it. */
  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  get bytesWaiting(): number {
    return this.#encoder.bytesWaiting;
  }

  receive(tag: ContributedTag): void {
    this.#encoder.receive(tag);
  }

  /** Seconds of stored media, if the contributor was lost and may come back; else 0. */
  get lostSeconds(): number {
    return this.#isLost ? this.#stored.count * gopSeconds : 0;
  }

  ended({ isLost }: { readonly isLost: boolean }): void {
    this.#end('disconnected', isLost);
  }

  /** Ends the session and its connection. */
  leave(reason: SessionEnd): void {
    this.#leave(reason);
  }

  #leave(reason: SessionEnd): void {
    this.#end(reason, reason === 'lost');
    this.#options.disconnect();
  }

  /** The first end stays. */
  #end(reason: SessionEnd, isLost: boolean): void {
    if (!this.#isOver) this.#isLost = isLost;
    this.#isOver = true;
    this.#left.resolve(reason);
  }

  async #finish(): Promise<void> {
    const reason = await this.#left.promise;
    const giveUp = setTimeout(() => this.#encoder.close(), endWithinMs);
    await this.#encoder.end();
    clearTimeout(giveUp);
    await this.#storing;
    await this.#options.records
      .end(reason, this.#stored)
      .catch((error: unknown) => this.#log('live_end_not_recorded', { error: String(error) }));
  }

  /** Stores segments one after the other. */
  #take(segment: LiveSegment): void {
    this.#waitingSegments += 1;
    if (this.#waitingSegments > mostWaitingSegments) return this.#leave('lost');
    this.#storing = this.#storing.then(() => this.#store(segment)).finally(() => (this.#waitingSegments -= 1));
  }

  /** Stores a poster, unless the one before is still being stored: a slow object store has fewer of them. */
  async #storePoster(poster: Buffer): Promise<void> {
    const number = this.#posters++;
    if (this.#isStoringPoster) return;
    this.#isStoringPoster = true;
    const { id, objects } = this.#options;
    await objects
      .write(livePosterKey(id, number), poster, posterType)
      .catch((error: unknown) => this.#log('live_poster_not_stored', { number, error: String(error) }));
    this.#isStoringPoster = false;
  }

  async #store({ number, bytes, soundBytes }: LiveSegment): Promise<void> {
    // After a segment that could not be stored, later ones are of no use.
    if (number !== this.#stored.count) return;
    const { id, objects } = this.#options;
    try {
      await objects.write(liveSegmentKey(id, 'sound', number), soundBytes, segmentType);
      await objects.write(liveSegmentKey(id, 'pictures', number), bytes, segmentType);
    } catch (error) {
      this.#log('live_segment_not_stored', { number, error: String(error) });
      return this.#leave('lost');
    }
    this.#stored = withSegment(this.#stored, bytes);
    await this.#report();
  }

  async #report(): Promise<void> {
    const { records, steadyClock } = this.#options;
    const { startedAtMs, signal } = this.#encoder;
    const progress = {
      stored: this.#stored,
      firstPictureAgoSeconds: startedAtMs === null ? null : (steadyClock() - startedAtMs) / 1000,
      source: this.#source,
      signal,
    };
    try {
      const reason = await records.report(progress);
      if (reason) this.#leave(reason);
    } catch (error) {
      this.#log('live_session_not_reported', { error: String(error) });
    }
  }
}

function endOf({ reason }: LiveFailure): SessionEnd {
  switch (reason) {
    case 'format_changed':
      return 'format_changed';
    case 'too_many_pixels':
      return 'too_demanding';
    case 'overloaded':
    case 'tool_failed':
      return 'lost';
    default:
      return 'undecodable';
  }
}
