// The map from a contributor's timestamps to our steady clock: a pure function of timestamps and times of arrival.
import type { ContributedTag } from './contribution.ts';

type TagType = ContributedTag['type'];

/** The map runs this much faster or slower than the contributor's clock at most. */
const mostSlew = 0.005;
/** An error of the map decays with this time constant, in the absence of the limit above. */
const settlingMs = 60_000;
/** Arrivals are judged by the earliest in this many intervals of a second, so that jitter does not count. */
const judgedSeconds = 8;
/** The earliest arrival of this many seconds is the rule for the later ones. */
const firstSeconds = 3;
/** Media whose earliest arrival stays this late is not waited for any longer. */
const mostLateMs = 1000;
/** A longer step of timestamps is a jump, unless the tag also arrived that much later. */
const longestStepMs = 1000;
/** A step back of more than this is a jump. Smaller ones are rounding errors. */
const longestStepBackMs = 50;
const fittingMs = 500;
/** The first sound of a contributor belongs to its pictures if its time differs no more than this from the clock. */
const sameClockMs = 10_000;

interface Earliest {
  readonly second: number;
  /** Arrival minus the time by the map without its correction. */
  readonly lagMs: number;
}

interface Previous {
  readonly timestampMs: number;
  readonly arrivalMs: number;
  readonly sessionMs: number;
}

/**
 * Session times count from the first keyframe's display, in milliseconds of our clock. Pictures and sound share the
 * map, so that they stay in sync.
 */
export class Retiming {
  readonly #startMs: number;
  readonly #offsetMs: Partial<Record<TagType, number>>;
  readonly #previous: Partial<Record<TagType, Previous>> = {};
  #earliest: Earliest[] = [];
  /** The usual difference of arrival and session time; null in the first seconds. */
  #usualLagMs: number | null = null;
  #correctionMs = 0;
  #observedMs: number;

  /** @param first the time of the first keyframe's display, by the contributor's clock; its arrival by ours */
  constructor(first: { readonly timestampMs: number; readonly arrivalMs: number }) {
    this.#startMs = first.arrivalMs;
    this.#observedMs = first.arrivalMs;
    this.#offsetMs = { video: -first.timestampMs, audio: -first.timestampMs };
  }

  /** The session time of the media that usually arrives at a time of our clock. */
  expectedMs(nowMs: number): number {
    return nowMs - this.#startMs - (this.#usualLagMs ?? this.#lagSince(-Infinity) ?? 0);
  }

  /** Milliseconds of our clock since the first keyframe arrived. */
  sinceStartMs(nowMs: number): number {
    return nowMs - this.#startMs;
  }

  /** The session time that a tag would have now. */
  peekMs(type: TagType, timestampMs: number, nowMs: number): number {
    return this.#jumps(type, timestampMs, nowMs) ? this.expectedMs(nowMs) : this.#mapped(type, timestampMs);
  }

  /** The session time of a tag. Called once for each tag, in order. */
  sessionMs(type: TagType, timestampMs: number, arrivalMs: number): number {
    if (this.#jumps(type, timestampMs, arrivalMs)) this.#anchor(type, timestampMs, arrivalMs);
    const sessionMs = this.#mapped(type, timestampMs);
    this.#previous[type] = { timestampMs, arrivalMs, sessionMs };
    return sessionMs;
  }

  /** Learns when a tag arrived, or was admitted if it had been held back. Corrects the map for later tags. */
  observe(sessionMs: number, arrivalMs: number): void {
    const second = Math.floor(arrivalMs / 1000);
    const lagMs = arrivalMs - this.#startMs - (sessionMs - this.#correctionMs);
    const last = this.#earliest.at(-1);
    if (last?.second !== second) this.#earliest.push({ second, lagMs });
    else if (lagMs < last.lagMs) this.#earliest[this.#earliest.length - 1] = { second, lagMs };
    this.#earliest = this.#earliest.filter((each) => each.second > second - judgedSeconds);
    const sinceMs = Math.max(0, arrivalMs - this.#observedMs);
    this.#observedMs = Math.max(this.#observedMs, arrivalMs);
    if (this.#usualLagMs === null) {
      if (arrivalMs - this.#startMs >= firstSeconds * 1000) this.#usualLagMs = this.#lagSince(-Infinity);
      return;
    }
    this.#correct(second, sinceMs, this.#usualLagMs);
  }

  #correct(second: number, sinceMs: number, usualLagMs: number): void {
    const errorMs = this.#lagSince(-Infinity)! - usualLagMs;
    const recentMs = this.#lagSince(second - firstSeconds)! - usualLagMs;
    const recentSeconds = this.#earliest.filter((each) => each.second >= second - firstSeconds).length;
    if (recentMs > mostLateMs && recentSeconds > firstSeconds) {
      this.#correctionMs += recentMs;
      this.#earliest = [];
    } else if (errorMs < -mostLateMs) {
      // Media that arrives early is no trouble: it waits.
      this.#usualLagMs = usualLagMs + errorMs;
    } else {
      const slew = Math.max(-mostSlew, Math.min(mostSlew, errorMs / settlingMs));
      this.#correctionMs += slew * Math.min(sinceMs, 1000);
    }
  }

  /** The difference of the earliest arrivals and their session times; null if there are none. */
  #lagSince(second: number): number | null {
    const lags = this.#earliest.filter((each) => each.second >= second).map(({ lagMs }) => lagMs);
    return lags.length === 0 ? null : Math.min(...lags) - this.#correctionMs;
  }

  #mapped(type: TagType, timestampMs: number): number {
    return timestampMs + this.#offsetMs[type]! + this.#correctionMs;
  }

  #jumps(type: TagType, timestampMs: number, arrivalMs: number): boolean {
    const previous = this.#previous[type];
    if (!previous) return Math.abs(this.#mapped(type, timestampMs) - this.expectedMs(arrivalMs)) > sameClockMs;
    const stepMs = timestampMs - previous.timestampMs;
    if (stepMs < -longestStepBackMs) return true;
    return stepMs > longestStepMs && Math.abs(stepMs - (arrivalMs - previous.arrivalMs)) > fittingMs;
  }

  /** Continues a type of media at the time of its arrival, or by the map of the other type if that fits. */
  #anchor(type: TagType, timestampMs: number, arrivalMs: number): void {
    const expectedMs = this.expectedMs(arrivalMs);
    const other = type === 'video' ? 'audio' : 'video';
    const byOther = this.#mapped(other, timestampMs);
    if (this.#previous[other] && Math.abs(byOther - expectedMs) < mostLateMs) {
      this.#offsetMs[type] = this.#offsetMs[other]!;
      return;
    }
    const sessionMs = Math.max(expectedMs, (this.#previous[type]?.sessionMs ?? -Infinity) + 1);
    this.#offsetMs[type] = sessionMs - this.#correctionMs - timestampMs;
    this.#earliest = [];
  }
}

/** The grid's phase follows the pictures up to this part of a frame, so that rounding does not alternate. */
const mostPhase = 0.6;
const phaseGain = 0.02;
/** A time keeps this part of its distance from the grid, which decoders need to tell pictures apart. */
const keptDistance = 0.8;

/** Moves display times towards the grid of our pictures, so that a jitter of timestamps repeats and drops none. */
export class PictureGrid {
  readonly #frameMs: number;
  #phase = 0;

  constructor(framesPerSecond: number) {
    this.#frameMs = 1000 / framesPerSecond;
  }

  /** @returns a time whose nearest place on the grid is that of the picture */
  snapped(displayMs: number): number {
    const position = displayMs / this.#frameMs - this.#phase;
    const frame = Math.round(position);
    const distance = position - frame;
    this.#phase += phaseGain * distance;
    if (Math.abs(this.#phase) > mostPhase) this.#phase -= Math.sign(this.#phase);
    return (frame + keptDistance * distance) * this.#frameMs;
  }
}
