// Series for charts of a stream: points at three resolutions, and the rules that make coarse points from fine ones.

export interface Tier {
  /** Seconds between points. */
  readonly stepSeconds: number;
  /** Seconds stored in one row. */
  readonly rowSeconds: number;
  readonly keptSeconds: number;
}

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** Resolutions by the names that clients use. The first is measured, the others are derived. */
export const tiers = {
  '10s': { stepSeconds: 10, rowSeconds: hourSeconds, keptSeconds: daySeconds },
  '5m': { stepSeconds: 300, rowSeconds: daySeconds, keptSeconds: 14 * daySeconds },
  '1h': { stepSeconds: hourSeconds, rowSeconds: 30 * daySeconds, keptSeconds: 400 * daySeconds },
} as const satisfies Record<string, Tier>;
export type Resolution = keyof typeof tiers;
export const resolutions = Object.keys(tiers) as Resolution[];

/** States from the best to the worst: a point over several has the worst. */
export const seriesStates = ['live', 'connecting', 'failing'] as const;
export type SeriesState = (typeof seriesStates)[number];

/** Measurements in the time from one point to the next. */
export interface Point {
  /** Begin of the point's time. */
  readonly at: Date;
  readonly bitrateKbps: number;
  readonly framesPerSecond: number;
  readonly droppedFrames: number;
  readonly reconnects: number;
  readonly state: SeriesState;
}

/** Begin of the point or row, of this many seconds, that contains a time. */
export function beginningOf(at: Date, seconds: number): Date {
  return new Date(Math.floor(at.getTime() / 1000 / seconds) * seconds * 1000);
}

/**
 * Makes coarser points: rates are averaged, counts are added, the state is the worst.
 * @returns points by time; a time without measurements has none
 */
export function coarser(points: readonly Point[], stepSeconds: number): Point[] {
  const together = Map.groupBy(points, ({ at }) => beginningOf(at, stepSeconds).getTime());
  return [...together]
    .toSorted(([one], [other]) => one - other)
    .map(([at, each]) => {
      const sum = (of: (point: Point) => number) => each.reduce((total, point) => total + of(point), 0);
      return {
        at: new Date(at),
        bitrateKbps: Math.round(sum(({ bitrateKbps }) => bitrateKbps) / each.length),
        framesPerSecond: Math.round((sum(({ framesPerSecond }) => framesPerSecond) / each.length) * 10) / 10,
        droppedFrames: sum(({ droppedFrames }) => droppedFrames),
        reconnects: sum(({ reconnects }) => reconnects),
        state: seriesStates[Math.max(...each.map(({ state }) => seriesStates.indexOf(state)))]!,
      };
    });
}
