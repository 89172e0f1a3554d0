// What charts of a stream show: points at three resolutions, and how coarse ones are made of fine ones.

export interface Tier {
  /** From one point to the next. */
  readonly stepSeconds: number;
  /** What is stored as one row. */
  readonly rowSeconds: number;
  readonly keptSeconds: number;
}

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** By the names that clients use. The first is measured, and the others are made of it. */
export const tiers = {
  '10s': { stepSeconds: 10, rowSeconds: hourSeconds, keptSeconds: daySeconds },
  '5m': { stepSeconds: 300, rowSeconds: daySeconds, keptSeconds: 14 * daySeconds },
  '1h': { stepSeconds: hourSeconds, rowSeconds: 30 * daySeconds, keptSeconds: 400 * daySeconds },
} as const satisfies Record<string, Tier>;
export type Resolution = keyof typeof tiers;
export const resolutions = Object.keys(tiers) as Resolution[];

/** From the best to the worst: of several, a point has the worst. */
export const seriesStates = ['live', 'connecting', 'failing'] as const;
export type SeriesState = (typeof seriesStates)[number];

/** What was measured in the time from one point to the next. */
export interface Point {
  /** When its time began. */
  readonly at: Date;
  readonly bitrateKbps: number;
  readonly framesPerSecond: number;
  readonly droppedFrames: number;
  readonly reconnects: number;
  readonly state: SeriesState;
}

/** When the point or row of so many seconds begins in which a time is. */
export function beginningOf(at: Date, seconds: number): Date {
  return new Date(Math.floor(at.getTime() / 1000 / seconds) * seconds * 1000);
}

/**
 * Makes coarser points: rates are means of what was measured, counts are added up, the state is the worst.
 * @returns in the order of their times; where nothing was measured there is none
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
