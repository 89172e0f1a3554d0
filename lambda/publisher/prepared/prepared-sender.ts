// Sends one connection's prepared media by the clock, however slow the destination is.
//
// States, re-evaluated at each turn (`#turn`), four times a second:
// - sending: frames that are due are sent, twice as many if the sender is late.
// - backed up: too much media waits for the destination, so nothing is sent.
// - skipping: 4 s of frames are missed. The media continues with the next keyframe of the present.
// - ending: the connection's time is over. Frames are sent up to the next keyframe, and `run` resolves.
// `onSlow` reports 'destination' for 30 s after frames were skipped because it was backed up, and 'publisher' after 5 s
// without a frame to send. After 15 s without sending, `run` rejects. While the destination is slow, `onTaking` reports
// false for as long as the frames that were skipped, and true in between.
import { sentInPlace } from '../../domain/playout/play-out.ts';
import { firstSoundFrameFrom, soundOriginOf } from '../../domain/playout/prepared-play-out.ts';
import { DeliveryWatch, slowAfterMs } from '../replica/delivery-watch.ts';
import { TooSlow } from '../replica/faults.ts';
import { bytesPerSecondOf } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { Sending, Slowness } from '../replica/stream-media.ts';
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
  /** The sound track; null if the pictures' own sound is sent. */
  readonly sound: SpanQueue | null;
  /** Whether the stream has a sound track. If it cannot be read, the pictures' own sound stands in for it. */
  readonly hasSoundTrack: boolean;
  /** The first frame of the connection. */
  readonly startFrame: number;
}

/** Media is sent this long ahead of real time: two turns and a bit, so that ingests always have a reserve. */
const leadMs = 2 * turnEveryMs + 50;
/** One turn sends at most this much media: twice the real-time rate, until the sender has caught up. */
const maxMediaMsPerTurn = 2 * turnEveryMs;
/** Seconds of media that may wait in our socket. */
const maxQueuedSeconds = 1;
/**
 * Seconds of media that may be sent and not yet delivered: in our socket, in the system's buffers and on the way. The
 * buffers alone would take ten seconds of it.
 */
const maxUndeliveredSeconds = 2;
/** A sender further behind than this skips the missed media, and continues with the next keyframe. */
const skipAfterMs = 4000;
/** The connection is given up when nothing was sent for this long. */
const hopelesslyLateMs = 15_000;
/** A destination keeps up again when, for this long, no media was skipped and no more waited for it than may. */
const keepsUpAfterMs = 30_000;

/** The observations of one turn. */
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
  /** The target of the last skip. Frames before it will not be sent, so they do not count as missed. */
  #skippedTo = 0;
  #sentAtMs: number;
  /** The last time that the sender was backed up. */
  #backedUpAtMs = -Infinity;
  /** The last time that frames were skipped because of the destination, or that it was backed up after that. */
  #fellBehindAtMs = -Infinity;
  /** The time of a skip because of the destination, until the next frame is sent; null: none. */
  #skippedAtMs: number | null = null;
  /** The time until which the destination counts as taking nothing: as long as the frames that skips left out. */
  #unpaidUntilMs = -Infinity;
  #isTaking = false;
  #slowThrough: Slowness | null = null;
  #usesOwnSound: boolean;
  /** The upload that last stood in for an item of the sound track; null if none does. */
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

  /** Sends until we close the connection, or its time is over. @throws the errors of OpenMedia.send */
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

  /** Sends the pictures' own sound from now on, because the sound track has failed. */
  useOwnSound(): void {
    this.#usesOwnSound = true;
  }

  #turn(nowMs: number): void {
    const { publisher, pictures, sound, prepareEnd, onEnding } = this.#options;
    // A closing connection sends nothing, so nothing is counted.
    if (!publisher.isOpen) return;
    this.#isEnding ||= prepareEnd();
    const dueFrame = this.#frameAt(nowMs + leadMs) + 1;
    const isBackedUp = this.#isBackedUp();
    const missedFrames = dueFrame - Math.max(this.#frame, this.#skippedTo);
    if (missedFrames > this.#framesIn(leadMs + skipAfterMs)) {
      this.#skip(this.#frameAt(nowMs));
      if (nowMs - this.#backedUpAtMs < skipAfterMs) {
        this.#fellBehindAtMs = nowMs;
        this.#skippedAtMs ??= nowMs;
      }
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
    // A destination that is only a little too slow falls behind by seconds once a minute, and is slow in between too.
    if (this.#slowThrough === 'destination') this.#fellBehindAtMs = nowMs;
  }

  /** Sends all frames before `end` that are read. */
  #sendUntil(end: number, nowMs: number): void {
    const chunks = this.#take(end);
    if (chunks.length === 0) return;
    this.#options.publisher.sendChunks(chunks);
    this.#watch.pictureSent();
    this.#sentAtMs = nowMs;
  }

  /** Whether the limit of media that may wait for the destination is reached. Then nothing is sent. */
  #isBackedUp(): boolean {
    const { bytesSent, bytesQueued, bytesDelivered, heldSeconds } = this.#options.publisher;
    const bytesOf = (seconds: number) => (seconds + heldSeconds) * this.#bytesPerSecond;
    const waitsInSystem = bytesDelivered !== null && bytesSent - bytesDelivered >= bytesOf(maxUndeliveredSeconds);
    return waitsInSystem || bytesQueued >= bytesOf(maxQueuedSeconds);
  }

  /** Takes the chunks of all frames before `end` that are read. */
  #take(end: number): Buffer[] {
    const { pictures } = this.#options;
    const chunks: Buffer[] = [];
    for (let head = pictures.head; head !== null; head = pictures.head) {
      const { span, next } = head;
      const { startFrame } = span.playing;
      const frame = startFrame + next;
      if (frame > this.#frame) {
        this.#leftOut(frame - this.#frame);
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

  #leftOut(frames: number): void {
    const { figures, profile } = this.#options;
    figures.skipped(frames);
    if (this.#skippedAtMs === null) return;
    const fromMs = Math.max(this.#skippedAtMs, this.#unpaidUntilMs);
    this.#unpaidUntilMs = fromMs + (frames * 1000) / profile.framesPerSecond;
    this.#skippedAtMs = null;
  }

  /** The next frame, if it is read and is a keyframe, at which a connection can begin; else null. */
  #nextKeyframe(): number | null {
    const { head } = this.#options.pictures;
    if (head === null || keyframeFrom(head.span, head.next) !== head.next) return null;
    return head.span.playing.startFrame + head.next;
  }

  /** Adds pictures `first` to `end` of a span to the chunks, with their own or the sound track's sound; counts them. */
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

  /** Adds the sound track's sound before a frame of the sound's grid to the chunks, as far as it is read. */
  #spliceTrackUntil(gridFrame: number, chunks: Buffer[]): void {
    const { splicer, profile } = this.#options;
    const sound = this.#options.sound!;
    for (let head = sound.head; head !== null; head = sound.head) {
      const gridStart = soundOriginOf(head.span.playing, profile.framesPerSecond);
      const until = Math.min(head.span.end, gridFrame - gridStart);
      if (until <= head.next) break;
      splicer.addSound(head.span, head.next, until, chunks);
      this.#soundStandIn = sentInPlace(head.span.playing.occurrence);
      sound.advance(until);
    }
  }

  /** Skips everything before a frame of the present. */
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
    const isTaking = slowThrough === 'destination' && this.#skippedAtMs === null && nowMs >= this.#unpaidUntilMs;
    if (isTaking !== this.#isTaking) {
      this.#isTaking = isTaking;
      if (slowThrough === 'destination') this.#options.onTaking(isTaking);
    }
    if (silentMs > hopelesslyLateMs) throw isBackedUp ? new DestinationError('too_slow') : new TooSlow();
  }

  #slownessOf({ nowMs, isBackedUp }: Observation): Slowness | null {
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
