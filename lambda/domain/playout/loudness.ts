// Loudness by EBU R128 from ffmpeg's measurements every 100 ms, so that a file can be measured in pieces.

/** Number of measurements by loudness, in tenths of LUFS. Its size does not grow with the length of the sound. */
export type LoudnessCounts = Readonly<Record<string, number>>;

export interface Loudness {
  readonly integratedLUFS: number;
  readonly rangeLU: number;
  readonly truePeakDBTP: number;
}

/** Quieter than this counts as silence (ITU-R BS.1770-5, annex 1). */
const absoluteGateLUFS = -70;
/** LU below the mean of the remaining sound; quieter sound does not count (ITU-R BS.1770-5, annex 1). */
const relativeGateLU = 10;
/** LU below the mean; quieter sound does not count for the range, which lies between these shares (EBU Tech 3342). */
const rangeGateLU = 20;
const rangeShares = { from: 0.1, to: 0.95 } as const;
/** True peaks of digital silence. */
const quietestPeakDBTP = -120;

const energyOf = (lufs: number): number => 10 ** (lufs / 10);
const lufsOf = (energy: number): number => 10 * Math.log10(energy);
const round = (value: number): number => Math.round(value * 10) / 10;

/** The key of a loudness in `LoudnessCounts`; null for silence. */
export function countedAs(lufs: number): string | null {
  return lufs >= absoluteGateLUFS ? String(Math.round(lufs * 10)) : null;
}

/**
 * @param momentary the loudness of the 400 ms before each measurement
 * @param shortTerm the loudness of the 3 s before each measurement
 * @param truePeak the highest sample of all channels, 1 for full scale
 * @returns null for silence
 */
export function loudnessOf(momentary: LoudnessCounts, shortTerm: LoudnessCounts, truePeak: number): Loudness | null {
  const loud = gated(entriesOf(momentary), relativeGateLU);
  if (loud.length === 0) return null;
  const range = gated(entriesOf(shortTerm), rangeGateLU);
  return {
    integratedLUFS: round(meanOf(loud)),
    rangeLU: range.length === 0 ? 0 : round(quantile(range, rangeShares.to) - quantile(range, rangeShares.from)),
    truePeakDBTP: round(Math.max(quietestPeakDBTP, 20 * Math.log10(truePeak))),
  };
}

type Entry = readonly [lufs: number, count: number];

function entriesOf(counts: LoudnessCounts): Entry[] {
  return Object.entries(counts)
    .map(([tenths, count]): Entry => [Number(tenths) / 10, count])
    .sort(([a], [b]) => a - b);
}

/** The entries that are at most `gateLU` below the mean of all entries. */
function gated(entries: readonly Entry[], gateLU: number): readonly Entry[] {
  const gate = meanOf(entries) - gateLU;
  return entries.filter(([lufs]) => lufs >= gate);
}

function meanOf(entries: readonly Entry[]): number {
  const count = entries.reduce((sum, [, each]) => sum + each, 0);
  return lufsOf(entries.reduce((sum, [lufs, each]) => sum + energyOf(lufs) * each, 0) / count);
}

function quantile(entries: readonly Entry[], share: number): number {
  let left = Math.round(entries.reduce((sum, [, count]) => sum + count, 0) * share);
  return (entries.find(([, count]) => (left -= count) <= 0) ?? entries.at(-1)!)[0];
}
