// Facts about a contribution that are measured while it arrives: framerate, bitrate and the distance of keyframes.
import type { LiveSource } from '../domain/live/live-source.ts';
import type { VideoTag } from '../publisher/ffmpeg/video-tag.ts';

type Stated = Pick<LiveSource, 'videoCodec' | 'audioCodec' | 'width' | 'height'>;

/** Measured over this time, and first reported after the first one. */
const windowMs = 5000;
const firstReportMs = 1000;
const reportEveryMs = 1000;
/** A change of the bitrate by less than this part is not reported. */
const bitrateStep = 0.25;
/** Timestamps are whole milliseconds, so steps of a steady rate differ by this much. */
const roundingMs = 2;
/** Pictures in the window: 240 a second. */
const mostPictures = 1200;
const usualRates = [23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60];
const usualTolerance = 0.0007;

export class SourceFacts {
  readonly #onSource: (source: LiveSource) => void;
  #stated: Stated | null = null;
  #pictureTimes: number[] = [];
  #keyframeMs: number | null = null;
  #keyframeSeconds: number | null = null;
  #bytes = 0;
  #bytesSinceMs: number | null = null;
  #bitrateKbps: number | null = null;
  #reported: LiveSource | null = null;
  #comparedMs = -Infinity;

  constructor(onSource: (source: LiveSource) => void) {
    this.#onSource = onSource;
  }

  /** Sets the facts that the headers state. */
  state(stated: Stated): void {
    this.#stated = stated;
  }

  /** @param timestampMs the decoding time by the contributor's clock */
  picture(timestampMs: number, { isKeyframe, compositionMs }: Pick<VideoTag, 'isKeyframe' | 'compositionMs'>): void {
    const last = this.#pictureTimes.at(-1);
    if (last !== undefined && (timestampMs < last || timestampMs > last + windowMs)) this.#forgetTimes();
    this.#pictureTimes.push(timestampMs);
    if (this.#pictureTimes[0]! < timestampMs - windowMs || this.#pictureTimes.length > mostPictures)
      this.#pictureTimes.shift();
    if (!isKeyframe) return;
    const shownMs = timestampMs + compositionMs;
    if (this.#keyframeMs !== null) this.#keyframeSeconds = (shownMs - this.#keyframeMs) / 1000;
    this.#keyframeMs = shownMs;
  }

  /** Counts bytes, and reports the source if it is known and has changed. */
  received(bytes: number, nowMs: number): void {
    this.#bytesSinceMs ??= nowMs;
    this.#bytes += bytes;
    const sinceMs = nowMs - this.#bytesSinceMs;
    if (sinceMs >= (this.#bitrateKbps === null ? firstReportMs : windowMs)) {
      this.#bitrateKbps = Math.round((this.#bytes * 8) / sinceMs);
      this.#bytes = 0;
      this.#bytesSinceMs = nowMs;
    }
    if (nowMs - this.#comparedMs >= reportEveryMs) this.#report(nowMs);
  }

  #report(nowMs: number): void {
    if (this.#stated === null || this.#bitrateKbps === null) return;
    const source = {
      ...this.#stated,
      framerate: framerateOf(this.#pictureTimes),
      bitrateKbps: this.#bitrateKbps,
      keyframeSeconds: this.#keyframeSeconds,
    };
    this.#comparedMs = nowMs;
    if (this.#reported && isAlike(source, this.#reported)) return;
    this.#reported = source;
    this.#onSource(source);
  }

  #forgetTimes(): void {
    this.#pictureTimes = [];
    this.#keyframeMs = null;
  }
}

/** Pictures a second, to two decimals; null if their distances vary. */
function framerateOf(times: readonly number[]): number | null {
  if (times.length < 3) return null;
  const steps = times.slice(1).map((time, index) => time - times[index]!);
  if (Math.max(...steps) - Math.min(...steps) > roundingMs) return null;
  const rate = (1000 * steps.length) / (times.at(-1)! - times[0]!);
  const usual = usualRates.find((each) => Math.abs(rate / each - 1) < usualTolerance);
  return Math.round((usual ?? rate) * 100) / 100;
}

function isAlike(one: LiveSource, other: LiveSource): boolean {
  const { bitrateKbps: rate, ...facts } = one;
  const { bitrateKbps: otherRate, ...otherFacts } = other;
  if (Math.abs(rate - otherRate) > bitrateStep * otherRate) return false;
  return JSON.stringify(facts) === JSON.stringify(otherFacts);
}
