// The runs to come of one answer: each is planned once, as far as the work of an answer reaches.
import type { Database } from '../../data/database.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import type { PlannedTime } from '../schedule/planned-times.ts';
import { startsOfStream } from './planned-timelines.ts';
import type { StreamStarts } from './planned-timelines.ts';

export interface PlannedWork {
  /** Runs without a row count as well. */
  readonly runs: number;
  readonly rows: number;
  readonly elapsedMs: number;
}

/**
 * The most work of one answer: beyond it, no other run is planned, and the answer ends sooner. A guide of a week has
 * 168 runs of an hourly show. A run that is being planned has limits of its own: see `lengthOfRun`, and decision D256.
 */
export const mostPlanned: PlannedWork = { runs: 200, rows: 6000, elapsedMs: 5000 };

interface PlannedRange {
  readonly now: Date;
  /** No row after it is needed. */
  readonly to: Date;
}

export class PlannedRuns {
  readonly #data: Database;
  readonly #stream: Stream;
  readonly #range: PlannedRange;
  readonly #clock: () => number;
  readonly #beganMs: number;
  readonly #planned = new Map<number, Timelines>();
  #rows = 0;
  #starts: Promise<StreamStarts> | null = null;

  /** @param clock a steady clock, in ms */
  constructor(data: Database, stream: Stream, range: PlannedRange, clock = () => performance.now()) {
    this.#data = data;
    this.#stream = stream;
    this.#range = range;
    this.#clock = clock;
    this.#beganMs = clock();
  }

  /** The format of all its runs. */
  async format(): Promise<PictureFormat> {
    return (await this.#startsOfStream()).format;
  }

  /** Whether a run is planned, or may be. The first one always may, so that a client comes to the end by pages. */
  mayPlan({ startAt }: PlannedTime): boolean {
    if (this.#planned.size === 0 || this.#planned.has(startAt.getTime())) return true;
    const isInTime = this.#clock() - this.#beganMs < mostPlanned.elapsedMs;
    return isInTime && this.#planned.size < mostPlanned.runs && this.#rows < mostPlanned.rows;
  }

  /** The timelines of a run, until its end or the end of the range. */
  async timelinesOf({ startAt, scheduledAt, endsAt }: PlannedTime): Promise<Timelines> {
    const known = this.#planned.get(startAt.getTime());
    if (known) return known;
    const untilMs = Math.min(endsAt?.getTime() ?? Infinity, this.#range.to.getTime());
    const { timelinesAt } = await this.#startsOfStream();
    const timelines = await timelinesAt(scheduledAt, Math.max(0, untilMs - startAt.getTime()) / 1000);
    this.#planned.set(startAt.getTime(), timelines);
    for (const track of this.#stream.planned_tracks ?? [])
      for (const { snapshot } of timelines[track]) this.#rows += itemsPlayed(snapshot).length;
    return timelines;
  }

  #startsOfStream(): Promise<StreamStarts> {
    return (this.#starts ??= startsOfStream(this.#data, this.#stream, this.#range.now));
  }
}
