// Makes points of series of what an agent measures of its streams, and hands them on a minute at a time.
import type { ReplicaFigures } from '../../data/figures.ts';
import type { OutputPoints } from '../../data/series.ts';
import type { StreamStats } from '../../data/streams.ts';
import { beginningOf, seriesStates, tiers } from '../../domain/series.ts';
import type { Point, SeriesState } from '../../domain/series.ts';

const { stepSeconds, rowSeconds } = tiers['10s'];
const pointsKept = rowSeconds / stepSeconds;
/** How long points wait to be written together. */
const writeEveryMs = 60_000;

interface Measured {
  /** When the point under way began. */
  readonly at: Date;
  readonly samples: readonly Pick<Point, 'bitrateKbps' | 'framesPerSecond' | 'state'>[];
  /** Counts of the claim, at the beginning of the point and by now. */
  readonly before: Counts;
  readonly by: Counts;
}

type Counts = Pick<StreamStats, 'droppedFrames' | 'reconnects'>;

export class SeriesCollector {
  readonly #underWay = new Map<string, Measured>();
  #finished = new Map<string, Point[]>();
  #finishedSince: Date | null = null;

  /**
   * Notes what was measured.
   * @param streamOf the stream of a replica; null where nobody shows what it sends, as of a backup
   */
  note(figures: readonly ReplicaFigures[], streamOf: (replicaID: string) => string | null): void {
    const seen = new Set<string>();
    for (const { replicaID, stats } of figures) {
      const streamID = streamOf(replicaID);
      if (streamID === null) continue;
      seen.add(streamID);
      this.#noteStream(streamID, stats);
    }
    // What the agent holds no more has no further samples.
    for (const streamID of this.#underWay.keys()) if (!seen.has(streamID)) this.#finish(streamID);
  }

  /** Whether enough has been collected to be written. */
  isDue(now: Date): boolean {
    return this.#finishedSince !== null && now.getTime() - this.#finishedSince.getTime() >= writeEveryMs;
  }

  /** Takes the points that have ended; with `all` also those under way. */
  take(all: 'all' | 'ended'): OutputPoints[] {
    if (all === 'all') for (const streamID of this.#underWay.keys()) this.#finish(streamID);
    const taken = Array.from(this.#finished, ([streamID, points]) => ({ streamID, outputID: '', points }));
    this.#finished = new Map();
    this.#finishedSince = null;
    return taken;
  }

  /** Keeps points that could not be written for the next time; of each stream an hour at most. */
  putBack(outputs: readonly OutputPoints[]): void {
    for (const { streamID, points } of outputs) {
      const kept = [...points, ...(this.#finished.get(streamID) ?? [])].slice(-pointsKept);
      this.#finished.set(streamID, kept);
      this.#finishedSince ??= kept[0]!.at;
    }
  }

  #noteStream(streamID: string, stats: StreamStats): void {
    const at = beginningOf(new Date(stats.sampledAt), stepSeconds);
    const last = this.#underWay.get(streamID);
    if (last && last.at.getTime() !== at.getTime()) this.#finish(streamID);
    const { droppedFrames, reconnects, bitrateKbps, framesPerSecond } = stats;
    const by = { droppedFrames, reconnects };
    const isSame = last?.at.getTime() === at.getTime();
    this.#underWay.set(streamID, {
      at,
      samples: [...(isSame ? last.samples : []), { bitrateKbps, framesPerSecond, state: stateOf(stats) }],
      before: isSame ? last.before : (last?.by ?? by),
      by,
    });
  }

  #finish(streamID: string): void {
    const measured = this.#underWay.get(streamID);
    if (!measured) return;
    this.#underWay.delete(streamID);
    const { at, samples, before, by } = measured;
    const mean = (of: (sample: (typeof samples)[number]) => number) =>
      samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
    // Counts begin anew with a claim.
    const grown = (name: keyof Counts) => (by[name] >= before[name] ? by[name] - before[name] : by[name]);
    const points = this.#finished.get(streamID) ?? [];
    points.push({
      at,
      bitrateKbps: Math.round(mean(({ bitrateKbps }) => bitrateKbps)),
      framesPerSecond: Math.round(mean(({ framesPerSecond }) => framesPerSecond) * 10) / 10,
      droppedFrames: grown('droppedFrames'),
      reconnects: grown('reconnects'),
      state: seriesStates[Math.max(...samples.map(({ state }) => seriesStates.indexOf(state)))]!,
    });
    this.#finished.set(streamID, points);
    this.#finishedSince ??= at;
  }
}

/** What was sent says it: nothing so far, something of late, or nothing any more. */
function stateOf({ framesPerSecond, framesSent }: StreamStats): SeriesState {
  if (framesPerSecond > 0) return 'live';
  return framesSent === 0 ? 'connecting' : 'failing';
}
