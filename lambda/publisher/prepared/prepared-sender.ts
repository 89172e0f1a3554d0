// Sends one connection's prepared media when its time has come, and keeps to the clock whatever the destination does.
import { firstSoundFrameFrom, soundGridFrame } from '../../domain/playout/prepared-play-out.ts';
import { DeliveryWatch, slowAfterMs } from '../replica/delivery-watch.ts';
import { TooSlow } from '../replica/faults.ts';
import { bytesPerSecondOf } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { Sending } from '../replica/stream-media.ts';
import { turnEveryMs } from './send-schedule.ts';
import type { SendSchedule } from './send-schedule.ts';
import type { Span } from './span.ts';
import type { SpanQueue } from './span-queue.ts';
import type { Splicer } from './splicer.ts';

export interface PreparedSenderOptions extends Sending {
  readonly profile: Profile;
  readonly schedule: Pick<SendSchedule, 'add'>;
  readonly splicer: Splicer;
  readonly pictures: SpanQueue;
  /** The track of sound; null where the pictures' own sound is sent. */
  readonly sound: SpanQueue | null;
  /** Whether the stream has such a track: where it cannot be read, the pictures' own sound stands in for it. */
  readonly hasSoundTrack: boolean;
  /** The frame that the connection begins with. */
  readonly startFrame: number;
}

/** Media is sent this long ahead of real time: two turns and some, so that ingests always have something in hand. */
const leadMs = 2 * turnEveryMs + 50;
/** One turn sends no more media than this: twice as much as is due, until the sender has caught up. */
const maxMediaMsPerTurn = 2 * turnEveryMs;
/** How much media may wait in our socket. */
const maxQueuedSeconds = 1;
/**
 * How much media may wait in our socket and in the system's buffers together, what is on its way included, and what
 * the meter has not seen arrive yet. The buffers alone would take ten seconds of it.
 */
const maxUndeliveredSeconds = 2;
/** A sender that is further behind than this leaves out what it missed, and goes on with the next keyframe. */
const skipAfterMs = 4000;
/** The connection is given up when nothing was sent for this long. */
const hopelesslyLateMs = 15_000;
/** A destination keeps up again when nothing was left out for this long, and no more media waited for it than may. */
const keepsUpAfterMs = 30_000;

/** Who sends or takes media much later than its time; null while nobody does. */
type Slowness = 'publisher' | 'destination' | null;

/** What a turn has seen. */
interface Observation {
  readonly nowMs: number;
  readonly isBackedUp: boolean;
}

export class PreparedSender {
  readonly #options: PreparedSenderOptions;
  readonly #watch: DeliveryWatch;
  readonly #bytesPerSecond: number;
  readonly #over = Promise.withResolvers<void>();
  /** The next frame to send, counted from the anchor. */
  #frame: number;
  /** The frame that was skipped to last. Frames before it are not sent any more, so they do not count as missed. */
  #skippedTo = 0;
  #sentAtMs: number;
  /** When the sender was backed up last. */
  #backedUpAtMs = -Infinity;
  /** When frames were left out last because the destination did not keep up, or as much waited for it again since. */
  #fellBehindAtMs = -Infinity;
  #slowThrough: Slowness = null;
  #usesOwnSound: boolean;
  /** The upload that the track of sound had last in place of an item; null: it had what it should. */
  #soundStandIn: string | null = null;
  #isEnding = false;

  constructor(options: PreparedSenderOptions) {
    const { publisher, profile, figures, onEvidence, steadyClock, startFrame, sound } = options;
    this.#options = options;
    this.#bytesPerSecond = bytesPerSecondOf(profile);
    this.#frame = startFrame;
    this.#usesOwnSound = sound === null;
    this.#sentAtMs = steadyClock();
    this.#watch = new DeliveryWatch({ publisher, figures, onEvidence }, this.#sentAtMs);
  }

  /** Sends until we close the connection, or its time is over. @throws as OpenMedia.send */
  async run(): Promise<void> {
    const { publisher, schedule } = this.#options;
    void publisher.ended.then((error) => (error ? this.#over.reject(error) : this.#over.resolve()));
    const leave = schedule.add((nowMs) => {
      try {
        this.#turn(nowMs);
      } catch (error) {
        this.#over.reject(error);
      }
    });
    try {
      await this.#over.promise;
    } finally {
      leave();
    }
  }

  /** Makes `run` throw an error. */
  fail(error: unknown): void {
    this.#over.reject(error);
  }

  /** From now on the pictures' own sound is sent, as the track of sound has failed. */
  useOwnSound(): void {
    this.#usesOwnSound = true;
  }

  #turn(nowMs: number): void {
    const { publisher, pictures, sound, prepareEnd, onEnding } = this.#options;
    // What a closing connection does not take was not sent.
    if (!publisher.isOpen) return;
    this.#isEnding ||= prepareEnd();
    const dueFrame = this.#frameAt(nowMs + leadMs) + 1;
    const isBackedUp = this.#isBackedUp();
    const missedFrames = dueFrame - Math.max(this.#frame, this.#skippedTo);
    if (missedFrames > this.#framesIn(leadMs + skipAfterMs)) {
      this.#skip(this.#frameAt(nowMs));
      if (nowMs - this.#backedUpAtMs < skipAfterMs) this.#fellBehindAtMs = nowMs;
    }
    if (isBackedUp) this.#backedUp(nowMs);
    else this.#sendUntil(Math.min(dueFrame, this.#frame + this.#framesIn(maxMediaMsPerTurn)), nowMs);
    if (pictures.isLow) void pictures.fill();
    if (!this.#usesOwnSound && sound!.isLow) void sound!.fill();
    this.#watch.check(nowMs);
    const nextKeyframe = this.#isEnding ? this.#nextKeyframe() : null;
    if (nextKeyframe !== null) {
      onEnding(nextKeyframe);
      this.#over.resolve();
    }
    this.#judge({ nowMs, isBackedUp });
  }

  #backedUp(nowMs: number): void {
    this.#backedUpAtMs = nowMs;
    // A destination that takes a little less than it should falls behind by seconds only after a minute each time.
    if (this.#slowThrough === 'destination') this.#fellBehindAtMs = nowMs;
  }

  /** Sends all frames before `end` that are there. */
  #sendUntil(end: number, nowMs: number): void {
    const chunks = this.#take(end);
    if (chunks.length === 0) return;
    this.#options.publisher.sendChunks(chunks);
    this.#watch.pictureSent();
    this.#sentAtMs = nowMs;
  }

  /** Whether as much media as may waits for the destination already. Nothing more is sent then. */
  #isBackedUp(): boolean {
    const { bytesSent, bytesQueued, bytesDelivered, heldSeconds } = this.#options.publisher;
    const bytesOf = (seconds: number) => (seconds + heldSeconds) * this.#bytesPerSecond;
    const waitsInSystem = bytesDelivered !== null && bytesSent - bytesDelivered >= bytesOf(maxUndeliveredSeconds);
    return waitsInSystem || bytesQueued >= bytesOf(maxQueuedSeconds);
  }

  /** Takes the chunks of all frames before `end` that are there. */
  #take(end: number): Buffer[] {
    const { pictures, figures } = this.#options;
    const chunks: Buffer[] = [];
    for (let head = pictures.head; head !== null; head = pictures.head) {
      const { span, next } = head;
      const { startFrame } = span.playing;
      const frame = startFrame + next;
      if (frame > this.#frame) {
        figures.skipped(frame - this.#frame);
        this.#frame = frame;
      }
      const endingAt = this.#isEnding ? keyframeFrom(span, next) : Infinity;
      const until = Math.min(span.end, end - startFrame, endingAt);
      if (until <= next) break;
      this.#splice(span, next, until, chunks);
      pictures.advance(until);
      this.#frame = startFrame + until;
    }
    return chunks;
  }

  /** The next frame, if it is there and is a keyframe, with which a connection can begin; else null. */
  #nextKeyframe(): number | null {
    const { head } = this.#options.pictures;
    if (head === null || keyframeFrom(head.span, head.next) !== head.next) return null;
    return head.span.playing.startFrame + head.next;
  }

  /**
   * Adds pictures `first` to `end` of a span and their sound, or that of the track of sound, to the chunks, and counts
   * them.
   */
  #splice(span: Span, first: number, end: number, chunks: Buffer[]): void {
    const { splicer, profile, figures, hasSoundTrack } = this.#options;
    const { startFrame, occurrence } = span.playing;
    if (this.#usesOwnSound) {
      splicer.addPicturesAndSound(span, first, end, chunks);
      const soundStandIn = hasSoundTrack ? occurrence.item.uploadID : null;
      figures.frameSent(startFrame + end - 1, occurrence, end - first, soundStandIn);
      return;
    }
    for (let picture = first; picture < end; picture++) {
      splicer.addPicture(span, picture, chunks);
      const frame = startFrame + picture;
      this.#spliceTrackUntil(firstSoundFrameFrom(frame + 1, profile.framesPerSecond), chunks);
      figures.frameSent(frame, occurrence, 1, this.#soundStandIn);
    }
  }

  /** Adds the track's sound before a frame of the sound's grid to the chunks, as far as it is there. */
  #spliceTrackUntil(gridFrame: number, chunks: Buffer[]): void {
    const { splicer, profile } = this.#options;
    const sound = this.#options.sound!;
    for (let head = sound.head; head !== null; head = sound.head) {
      const gridStart = soundGridFrame(head.span.playing.startFrame, profile.framesPerSecond);
      const until = Math.min(head.span.end, gridFrame - gridStart);
      if (until <= head.next) break;
      splicer.addSound(head.span, head.next, until, chunks);
      const { item, isStandIn } = head.span.playing.occurrence;
      this.#soundStandIn = isStandIn ? item.uploadID : null;
      sound.advance(until);
    }
  }

  /** Leaves out everything before a frame of the present. */
  #skip(frame: number): void {
    const { pictures, sound } = this.#options;
    this.#skippedTo = frame;
    pictures.skipTo(frame);
    if (!this.#usesOwnSound) sound?.skipTo(frame);
  }

  #judge({ nowMs, isBackedUp }: Observation): void {
    const silentMs = nowMs - this.#sentAtMs;
    this.#options.figures.late(Math.max(0, this.#frameAt(nowMs) + 1 - Math.max(this.#frame, this.#skippedTo)));
    const slowThrough = this.#slownessOf({ nowMs, isBackedUp });
    if (slowThrough !== this.#slowThrough) {
      this.#slowThrough = slowThrough;
      this.#options.onSlow(slowThrough);
    }
    if (silentMs > hopelesslyLateMs) throw isBackedUp ? new DestinationError('too_slow') : new TooSlow();
  }

  #slownessOf({ nowMs, isBackedUp }: Observation): Slowness {
    if (nowMs - this.#sentAtMs > slowAfterMs && !isBackedUp) return 'publisher';
    return nowMs - this.#fellBehindAtMs < keepsUpAfterMs ? 'destination' : null;
  }

  #frameAt(steadyMs: number): number {
    const { startMs, startFrame } = this.#options;
    return startFrame + this.#framesIn(steadyMs - startMs);
  }

  #framesIn(ms: number): number {
    return Math.floor((ms * this.#options.profile.framesPerSecond) / 1000);
  }
}

/** The first keyframe at or after a picture of the span's rendition. */
function keyframeFrom({ header }: Span, picture: number): number {
  return Math.ceil(picture / header.gopFrames) * header.gopFrames;
}
