// Reads the measurements of ffmpeg's filters, per picture and per 100 ms of sound, from the lines of `metadata=print`.
import { countedAs } from '../../domain/playout/loudness.ts';
import type { Measurements } from '../../domain/media/measurements.ts';
import { joined } from '../../domain/shared/stretches.ts';
import type { Stretch } from '../../domain/shared/stretches.ts';

/** Reads an output of `metadata=print`: a line with the time of a frame, and then lines with its measurements. */
abstract class MetadataReader {
  /** The beginning of the piece, which is ffmpeg's time 0. */
  readonly #fromSeconds: number;
  /** The time of the current frame, which the next lines describe. */
  protected atSeconds = 0;

  constructor(fromSeconds: number) {
    this.#fromSeconds = fromSeconds;
  }

  read(line: string): void {
    const time = /^frame:.*pts_time:(-?[\d.]+)/u.exec(line)?.[1];
    if (time !== undefined) this.atSeconds = this.#fromSeconds + Number(time);
    else {
      const [key = '', value = ''] = line.split('=');
      this.add(key, value);
    }
  }

  protected abstract add(key: string, value: string): void;

  /** The time of an event, which ffmpeg counts like the times of frames. */
  protected timeOf(value: string): number {
    return this.#fromSeconds + Number(value);
  }
}

/** Stretches. The last one may not have ended. */
class OpenStretches {
  readonly #ended: Stretch[] = [];
  #start: number | null = null;

  begin(start: number): void {
    this.#start = start;
  }

  end(end: number): void {
    if (this.#start !== null) this.#ended.push({ start: this.#start, end });
    this.#start = null;
  }

  /** These stretches joined with earlier ones. @param until the end of a stretch that has not ended */
  joinedWith(before: readonly Stretch[], until: number): Stretch[] {
    const open = this.#start === null ? [] : [{ start: this.#start, end: Math.max(this.#start, until) }];
    return joined([...before, ...this.#ended, ...open]);
  }
}

/** Tolerance between two times of one frame, which ffmpeg rounds to the file's own units. */
const roundingSeconds = 0.0005;

/** Reads pictures. Those that the previous piece has counted are read again, but not counted again. */
export class PictureReader extends MetadataReader {
  readonly #before: Measurements;
  readonly #usualSeconds: number | null;
  readonly #black = new OpenStretches();
  readonly #frozen = new OpenStretches();
  #untilSeconds: number;
  #lastSeconds: number | null = null;
  #pictures = 0;
  #uneven = 0;
  #interlaced = 0;
  #progressive = 0;

  /** @param framerate the average; null if unknown */
  constructor(before: Measurements, fromSeconds: number, framerate: number | null) {
    super(fromSeconds);
    this.#before = before;
    this.#usualSeconds = framerate === null ? null : 1 / framerate;
    this.#untilSeconds = before.picturesUntil;
  }

  protected add(key: string, value: string): void {
    if (key === 'lavfi.idet.multiple.current_frame') this.#addPicture(value);
    else if (key === 'lavfi.black_start') this.#black.begin(this.timeOf(value));
    else if (key === 'lavfi.black_end') this.#black.end(this.timeOf(value));
    else if (key === 'lavfi.freezedetect.freeze_start') this.#frozen.begin(this.timeOf(value));
    else if (key === 'lavfi.freezedetect.freeze_end') this.#frozen.end(this.timeOf(value));
  }

  #addPicture(lines: string): void {
    const at = this.atSeconds;
    const lasted = this.#lastSeconds === null ? null : at - this.#lastSeconds;
    this.#lastSeconds = at;
    if (at < this.#before.picturesUntil - roundingSeconds) return;
    this.#pictures += 1;
    if (lines === 'progressive') this.#progressive += 1;
    else if (lines !== 'undetermined') this.#interlaced += 1;
    const usual = this.#usualSeconds;
    if (lasted !== null && usual !== null && Math.abs(lasted - usual) > usual / 2) this.#uneven += 1;
    this.#untilSeconds = Math.max(this.#untilSeconds, at + (usual ?? lasted ?? 0));
  }

  addTo(measured: Measurements): Measurements {
    const { black, frozen, pictures, unevenPictures, interlacedPictures, progressivePictures } = measured;
    return {
      ...measured,
      picturesUntil: this.#untilSeconds,
      black: this.#black.joinedWith(black, this.#untilSeconds),
      frozen: this.#frozen.joinedWith(frozen, this.#untilSeconds),
      pictures: pictures + this.#pictures,
      unevenPictures: unevenPictures + this.#uneven,
      interlacedPictures: interlacedPictures + this.#interlaced,
      progressivePictures: progressivePictures + this.#progressive,
    };
  }
}

/** The interval of ebur128's measurements. */
const measuredEverySeconds = 0.1;

export class SoundReader extends MetadataReader {
  readonly #before: Measurements;
  readonly #silent = new OpenStretches();
  readonly #momentary: Record<string, number>;
  readonly #shortTerm: Record<string, number>;
  #truePeak: number;
  #untilSeconds: number;
  #firstSeconds: number | null = null;

  constructor(before: Measurements, fromSeconds: number) {
    super(fromSeconds);
    this.#before = before;
    this.#momentary = { ...before.momentary };
    this.#shortTerm = { ...before.shortTerm };
    this.#truePeak = before.truePeak;
    this.#untilSeconds = before.soundUntil;
  }

  protected add(key: string, value: string): void {
    if (key === 'lavfi.silence_start') this.#silent.begin(this.timeOf(value));
    else if (key === 'lavfi.silence_end') this.#silent.end(this.timeOf(value));
    else if (key === 'lavfi.r128.true_peak') this.#truePeak = Math.max(this.#truePeak, Number(value) || 0);
    else if (key === 'lavfi.r128.M') {
      this.#firstSeconds ??= this.atSeconds;
      if (this.#isCounted) this.#count(this.#momentary, value);
    } else if (key === 'lavfi.r128.S') {
      if (this.#isCounted) this.#count(this.#shortTerm, value);
      this.#untilSeconds = Math.max(this.#untilSeconds, this.atSeconds + measuredEverySeconds);
    }
  }

  get #isCounted(): boolean {
    return this.atSeconds > this.#before.soundUntil - measuredEverySeconds / 2;
  }

  #count(counts: Record<string, number>, lufs: string): void {
    const name = countedAs(Number(lufs));
    if (name !== null) counts[name] = (counts[name] ?? 0) + 1;
  }

  addTo(measured: Measurements): Measurements {
    return {
      ...measured,
      soundUntil: this.#untilSeconds,
      soundFrom: measured.soundFrom ?? this.#firstSeconds,
      silent: this.#silent.joinedWith(measured.silent, this.#untilSeconds),
      momentary: this.#momentary,
      shortTerm: this.#shortTerm,
      truePeak: this.#truePeak,
    };
  }
}
