// Sends one connection's prepared media when its time has come, and keeps up with the clock whatever the destination does.
import { firstSoundFrameFrom, soundGridFrame } from '../../domain/prepared-play-out.ts';
import { DeliveryWatch, slowAfterMs } from '../delivery-watch.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { TooSlow } from '../paced-sender.ts';
import { DestinationError } from '../rtmp/destination-error.ts';
import type { Sending } from '../stream-media.ts';
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
  /** Null: the pictures' own. */
  readonly sound: SpanQueue | null;
  /** The first frame, that of timestamp 0. */
  readonly startFrame: number;
}

/** Sent ahead of real time: two turns and some, so that ingests always have something in hand. */
const leadMs = 2 * turnEveryMs + 50;
/** Twice real time, until what was missed is caught up with. */
const maxFramesMsPerTurn = 2 * turnEveryMs;
/** Media that may wait in our socket. */
const maxQueuedSeconds = 1;
/** Media that may wait there and in the system's buffers, which would take ten seconds of it: what is on its way, and what the meter does not know yet. */
const maxUndeliveredSeconds = 2;
/** Further behind than this, what was missed is left out: on with the next keyframe. */
const skipAfterMs = 4000;
const hopelesslyLateMs = 15_000;
/** So long without leaving anything out, and a destination keeps up again. */
const keepsUpAfterMs = 30_000;

export class PreparedSender {
  readonly #options: PreparedSenderOptions;
  readonly #watch: DeliveryWatch;
  readonly #bytesPerSecond: number;
  readonly #over = Promise.withResolvers<void>();
  /** Next frame to send, counted from the anchor. */
  #frame: number;
  /** Behind its time there is nothing before this frame. */
  #skippedTo = 0;
  #sentAtMs: number;
  /** When the destination last had not taken what waits for it. */
  #heldAtMs = -Infinity;
  /** When something was left out last because the destination was behind. */
  #heldBackAtMs = -Infinity;
  #slowThrough: 'publisher' | 'destination' | null = null;
  #usesOwnSound: boolean;
  #isEnding = false;

  constructor(options: PreparedSenderOptions) {
    const { publisher, profile, figures, onEvidence, steadyClock, startFrame, sound } = options;
    this.#options = options;
    this.#bytesPerSecond = (profile.videoBitrateKbps * 1000) / 8;
    this.#frame = startFrame;
    this.#usesOwnSound = sound === null;
    this.#sentAtMs = steadyClock();
    this.#watch = new DeliveryWatch({ publisher, figures, onEvidence }, this.#sentAtMs);
  }

  /** Resolves when the connection was closed by us, or its time is over. @throws as OpenMedia.send */
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

  fail(error: unknown): void {
    this.#over.reject(error);
  }

  /** The track of sound is over: from now on the pictures' own is sent. */
  useOwnSound(): void {
    this.#usesOwnSound = true;
  }

  #turn(nowMs: number): void {
    const { publisher, pictures, sound, isOver, onEnding } = this.#options;
    this.#isEnding ||= isOver();
    const dueFrame = this.#frameAt(nowMs + leadMs) + 1;
    const isHeld = this.#isHeld();
    if (dueFrame - Math.max(this.#frame, this.#skippedTo) > this.#framesIn(leadMs + skipAfterMs)) {
      this.#skip(this.#frameAt(nowMs));
      if (nowMs - this.#heldAtMs < skipAfterMs) this.#heldBackAtMs = nowMs;
    }
    if (isHeld) this.#heldAtMs = nowMs;
    if (!isHeld) {
      const chunks = this.#take(Math.min(dueFrame, this.#frame + this.#framesIn(maxFramesMsPerTurn)));
      if (chunks.length > 0) {
        publisher.sendChunks(chunks);
        this.#watch.pictureSent();
        this.#sentAtMs = nowMs;
      }
    }
    if (pictures.isLow) void pictures.fill();
    if (!this.#usesOwnSound && sound!.isLow) void sound!.fill();
    this.#watch.check(nowMs);
    const nextKeyframe = this.#isEnding ? this.#frameOfKeyframe() : null;
    if (nextKeyframe !== null) {
      onEnding(nextKeyframe);
      this.#over.resolve();
    }
    this.#judge(nowMs, isHeld);
  }

  /** Whether as much waits for the destination as may. */
  #isHeld(): boolean {
    const { bytesSent, bytesQueued, bytesDelivered } = this.#options.publisher;
    const waitsInSystem =
      bytesDelivered !== null && bytesSent - bytesDelivered >= maxUndeliveredSeconds * this.#bytesPerSecond;
    return waitsInSystem || bytesQueued >= maxQueuedSeconds * this.#bytesPerSecond;
  }

  /** The chunks of all frames before `end` that are there. */
  #take(end: number): Buffer[] {
    const { pictures, figures } = this.#options;
    const chunks: Buffer[] = [];
    for (let head = pictures.head; head !== null; head = pictures.head) {
      const { span, next } = head;
      const { startFrame, occurrence } = span.playing;
      const frame = startFrame + next;
      if (frame > this.#frame) {
        figures.skipped(frame - this.#frame);
        this.#frame = frame;
      }
      const until = Math.min(span.end, end - startFrame, this.#isEnding ? keyframeFrom(span, next) : Infinity);
      if (until <= next) break;
      this.#splice(span, next, until, chunks);
      pictures.advance(until);
      this.#frame = startFrame + until;
      figures.frameSent(this.#frame - 1, occurrence, until - next);
    }
    return chunks;
  }

  /** The next frame if it is there, and one that a connection can begin with. */
  #frameOfKeyframe(): number | null {
    const { head } = this.#options.pictures;
    if (head === null || keyframeFrom(head.span, head.next) !== head.next) return null;
    return head.span.playing.startFrame + head.next;
  }

  #splice(span: Span, first: number, end: number, chunks: Buffer[]): void {
    const { splicer, sound, profile } = this.#options;
    if (this.#usesOwnSound) {
      splicer.joined(span, first, end, chunks);
      return;
    }
    for (let picture = first; picture < end; picture++) {
      splicer.picture(span, picture, chunks);
      const untilSound = firstSoundFrameFrom(span.playing.startFrame + picture + 1, profile.framesPerSecond);
      for (let head = sound!.head; head !== null; head = sound!.head) {
        const gridStart = soundGridFrame(head.span.playing.startFrame, profile.framesPerSecond);
        const until = Math.min(head.span.end, untilSound - gridStart);
        if (until <= head.next) break;
        splicer.sound(head.span, head.next, until, chunks);
        sound!.advance(until);
      }
    }
  }

  #skip(frame: number): void {
    const { pictures, sound } = this.#options;
    this.#skippedTo = frame;
    pictures.skipTo(frame);
    if (!this.#usesOwnSound) sound?.skipTo(frame);
  }

  #judge(nowMs: number, isHeld: boolean): void {
    const silentMs = nowMs - this.#sentAtMs;
    const slowThrough =
      silentMs > slowAfterMs && !isHeld
        ? 'publisher'
        : nowMs - this.#heldBackAtMs < keepsUpAfterMs
          ? 'destination'
          : null;
    if (slowThrough !== this.#slowThrough) this.#options.onSlow((this.#slowThrough = slowThrough));
    if (silentMs > hopelesslyLateMs) throw isHeld ? new DestinationError('too_slow') : new TooSlow();
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
