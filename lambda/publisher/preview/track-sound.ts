// Reads the sound of a stream's sound track along with its pictures.
import { soundOriginOf } from '../../domain/playout/prepared-play-out.ts';
import { MediaError } from '../media/media-error.ts';
import type { Span } from '../prepared/span.ts';
import type { TrackReader } from '../prepared/track-reader.ts';
import { NothingReadable } from '../replica/faults.ts';
import { payloadsOf } from './span-payloads.ts';

/** Successive AAC frames. */
export interface Sound {
  /** The number of the first frame on the stream's grid of sound. */
  readonly firstFrame: number;
  /** The frames, each with its FLV header. */
  readonly payloads: readonly Buffer[];
}

export class TrackSound {
  readonly #reader: TrackReader;
  readonly #framesPerSecond: number;
  #span: Span | null = null;
  /** The next group of the span. */
  #next = 0;
  #isFailed = false;

  constructor(reader: TrackReader, framesPerSecond: number) {
    this.#reader = reader;
    this.#framesPerSecond = framesPerSecond;
  }

  /**
   * The sound before a frame of the sound's grid that was not returned yet.
   * @returns null once the track cannot be read: agents then send the pictures' own sound
   */
  async until(gridFrame: number): Promise<Sound | null> {
    const payloads: Buffer[] = [];
    while (!this.#isFailed) {
      const span = (this.#span ??= await this.#read());
      if (span === null) break;
      const gridStart = soundOriginOf(span.playing, this.#framesPerSecond);
      const end = Math.min(span.end, gridFrame - gridStart);
      if (end > this.#next) {
        payloads.push(...payloadsOf(span, this.#next, end).audio);
        this.#next = end;
      }
      if (end < span.end) return { firstFrame: gridStart + this.#next - payloads.length, payloads };
      this.#span = null;
    }
    return null;
  }

  async #read(): Promise<Span | null> {
    try {
      const span = await this.#reader.next();
      this.#next = span.first;
      return span;
    } catch (error) {
      if (!(error instanceof MediaError) && !(error instanceof NothingReadable)) throw error;
      this.#isFailed = true;
      return null;
    }
  }
}
