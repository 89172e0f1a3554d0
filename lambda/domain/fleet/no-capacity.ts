// Reason why no agent takes a stream, with remedies for its user.
import { costNames, shareOf, weightsOf } from './capacity.ts';
import { unfundedPart } from './claim-share.ts';
import type { Capacity, StreamCost } from './capacity.ts';

/** An agent that could take the stream if it had room. */
export interface PossibleTaker {
  readonly capacity: Capacity;
  readonly usedShare: number;
  /** Reason why it takes no more streams; null while it keeps up. */
  readonly behindReason: string | null;
}

const words: Readonly<Record<keyof StreamCost, (amount: number) => string>> = {
  cores: (amount) => `${amount.toFixed(2)} processor cores`,
  coresBesideGpu: (amount) => `${amount.toFixed(2)} processor cores`,
  thread: (amount) => `${(100 * amount).toFixed(2)} % of a sending thread`,
  memoryMiB: (amount) => `${Math.ceil(amount)} MiB of memory`,
  networkMbps: (amount) => `${amount.toFixed(1)} Mbit/s of network`,
  gpuMegapixels: (amount) => `${Math.ceil(amount)} million pixels a second on a GPU`,
};

/** Detail for a stream of a user who is not funded, while such streams hold their part of the publishers. */
export const noPartDetail =
  'Streams of users who have never bought credits share ' +
  `${100 * unfundedPart.fraction} % of the publishers, and others have taken that part. It starts as soon as one of ` +
  'them ends. What helps: buy credits, and it starts before them; send prepared media (`streamBackend`: `manifest`).';

/**
 * @param cost cost of the waiting replica
 * @param backend backend of its stream
 * @param takers living agents that take such streams
 */
export function noCapacityDetail(
  cost: StreamCost,
  backend: 'ffmpeg' | 'manifest',
  takers: readonly PossibleTaker[],
): string {
  const starts = 'It starts as soon as there is room.';
  if (takers.length === 0) return 'No publisher of such streams runs; the stream starts as soon as one does.';
  const roomiest = takers.toSorted((a, b) => freeOf(cost, b) - freeOf(cost, a))[0]!;
  const scarce = scarcestOf(cost, roomiest.capacity);
  const wants = `The stream needs ${words[scarce](cost[scarce])}`;
  if (takers.every(({ capacity }) => shareOf(cost, capacity) > 1)) {
    const [most] = [...amountsOf(scarce, takers, () => 1)];
    return `${wants}, and no publisher has more than ${words[scarce](most!)} in all. ${helpFor(backend, 'too large')}`;
  }
  if (freeOf(cost, roomiest) >= 1) {
    const reason = takers.find(({ behindReason }) => behindReason !== null)?.behindReason;
    if (reason)
      return `The publishers do not keep up with what they send already: ${reason} ${starts} ${helpFor(backend)}`;
    return `No publisher has taken the stream yet. ${starts}`;
  }
  const [free] = amountsOf(scarce, takers, ({ usedShare }) => Math.max(0, 1 - usedShare));
  const others = takers.length === 1 ? 'the only publisher has' : `none of ${takers.length} publishers has more than`;
  return `${wants}, and ${others} ${words[scarce](free!)} left. ${starts} ${helpFor(backend)}`;
}

/** Number of further streams of this cost that fit an agent. */
function freeOf(cost: StreamCost, { capacity, usedShare }: PossibleTaker): number {
  return (1 - usedShare) / shareOf(cost, capacity);
}

/** The cost that takes the largest share of an agent. */
function scarcestOf(cost: StreamCost, capacity: Capacity): keyof StreamCost {
  const weights = weightsOf(capacity);
  const shares = costNames.map((name, index) => [name, cost[name] * weights[index]!] as const);
  return shares.toSorted((a, b) => b[1] - a[1])[0]![0];
}

/** Amounts of one resource that agents have, the largest first. */
function amountsOf(
  name: keyof StreamCost,
  takers: readonly PossibleTaker[],
  part: (taker: PossibleTaker) => number,
): number[] {
  const all = takers.map((taker) => {
    const weight = weightsOf(taker.capacity)[costNames.indexOf(name)]!;
    return weight === 0 ? 0 : part(taker) / weight;
  });
  return all.toSorted((a, b) => b - a);
}

function helpFor(backend: 'ffmpeg' | 'manifest', size: 'too large' | 'fits' = 'fits'): string {
  const ways = [
    ...(size === 'fits' ? ['stop another stream'] : []),
    'take a lower quality or framerate',
    ...(backend === 'ffmpeg'
      ? ['send prepared media (`streamBackend`: `manifest`), which is not encoded while it is sent']
      : []),
  ];
  return `What helps: ${ways.join('; ')}.`;
}
