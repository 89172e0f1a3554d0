// Collects the measurements of an agent's outputs into points of time series, and returns them a minute at a time.
import type { ReplicaFigures } from '../../data/fleet/figures.ts';
import type { OutputPoints, OutputSeries } from '../../data/fleet/series.ts';
import type { StreamStats } from '../../data/streams/streams.ts';
import { beginningOf, seriesStates, tiers } from '../../domain/streams/series.ts';
import type { Point, SeriesState } from '../../domain/streams/series.ts';

const { stepSeconds, rowSeconds } = tiers['10s'];
const pointsKept = rowSeconds / stepSeconds;
/** How long points are collected before they are written. */
const writeEveryMs = 60_000;

interface Measured {
  readonly series: OutputSeries;
  /** The beginning of the current point. */
  readonly at: Date;
  readonly samples: readonly Pick<Point, 'bitrateKbps' | 'framesPerSecond' | 'state'>[];
  /** Counts since the claim, at the beginning of the point and now. */
  readonly before: Counts;
  readonly by: Counts;
}

type Counts = Pick<StreamStats, 'droppedFrames' | 'reconnects'>;

export class SeriesCollector {
  readonly #underWay = new Map<string, Measured>();
  #finished = new Map<string, OutputPoints & { readonly points: Point[] }>();
  #finishedSince: Date | null = null;

  /**
   * Adds measurements.
   * @param seriesOf the series of a replica; null if it has none, as a backup
   */
  add(figures: readonly ReplicaFigures[], seriesOf: (replicaID: string) => OutputSeries | null): void {
    const seen = new Set<string>();
    for (const { replicaID, stats } of figures) {
      const series = seriesOf(replicaID);
      if (series === null) continue;
      seen.add(keyOf(series));
      this.#addSample(series, stats);
    }
    // Outputs that the agent no longer holds get no further samples.
    for (const key of this.#underWay.keys()) if (!seen.has(key)) this.#finish(key);
  }

  /** Whether there are points that have not been taken. */
  get areAny(): boolean {
    return this.#underWay.size + this.#finished.size > 0;
  }

  /** Whether it is time to write the points. */
  isDue(now: Date): boolean {
    return this.#finishedSince !== null && now.getTime() - this.#finishedSince.getTime() >= writeEveryMs;
  }

  /** Removes and returns the points that have ended; with `all` also the current ones. */
  take(all: 'all' | 'ended'): OutputPoints[] {
    if (all === 'all') for (const key of this.#underWay.keys()) this.#finish(key);
    const taken = [...this.#finished.values()];
    this.#finished = new Map();
    this.#finishedSince = null;
    return taken;
  }

  /** Puts points back that could not be written. At most an hour of each output is kept. */
  putBack(outputs: readonly OutputPoints[]): void {
    for (const { streamID, outputID, points } of outputs) {
      const key = keyOf({ streamID, outputID });
      const kept = [...points, ...(this.#finished.get(key)?.points ?? [])].slice(-pointsKept);
      this.#finished.set(key, { streamID, outputID, points: kept });
      this.#finishedSince ??= kept[0]!.at;
    }
  }

  #addSample(series: OutputSeries, stats: StreamStats): void {
    const key = keyOf(series);
    const at = beginningOf(new Date(stats.sampledAt), stepSeconds);
    const last = this.#underWay.get(key);
    if (last && last.at.getTime() !== at.getTime()) this.#finish(key);
    const { droppedFrames, reconnects, bitrateKbps, framesPerSecond } = stats;
    const by = { droppedFrames, reconnects };
    const isSame = last?.at.getTime() === at.getTime();
    this.#underWay.set(key, {
      series,
      at,
      samples: [...(isSame ? last.samples : []), { bitrateKbps, framesPerSecond, state: stateOf(stats) }],
      before: isSame ? last.before : (last?.by ?? by),
      by,
    });
  }

  #finish(key: string): void {
    const measured = this.#underWay.get(key);
    if (!measured) return;
    this.#underWay.delete(key);
    const { series, at, samples, before, by } = measured;
    const mean = (of: (sample: (typeof samples)[number]) => number) =>
      samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
    // Counts begin at zero with a claim.
    const grown = (name: keyof Counts) => (by[name] >= before[name] ? by[name] - before[name] : by[name]);
    const finished = this.#finished.get(key) ?? { ...series, points: [] };
    finished.points.push({
      at,
      bitrateKbps: Math.round(mean(({ bitrateKbps }) => bitrateKbps)),
      framesPerSecond: Math.round(mean(({ framesPerSecond }) => framesPerSecond) * 10) / 10,
      droppedFrames: grown('droppedFrames'),
      reconnects: grown('reconnects'),
      state: seriesStates[Math.max(...samples.map(({ state }) => seriesStates.indexOf(state)))]!,
    });
    this.#finished.set(key, finished);
    this.#finishedSince ??= at;
  }
}

const keyOf = ({ streamID, outputID }: OutputSeries) => `${streamID}/${outputID}`;

/** The state of an output: it sends now, has sent nothing so far, or sends nothing any more. */
function stateOf({ framesPerSecond, framesSent }: StreamStats): SeriesState {
  if (framesPerSecond > 0) return 'live';
  return framesSent === 0 ? 'connecting' : 'failing';
}
