// The loudness of a stream's items: settings, and the gain that reaches the wanted loudness.
import { pictureEffects } from './look.ts';
import type { PictureEffect, PictureJoin, ShownJoin } from './look.ts';
import type { Loudness } from './loudness.ts';

/** The sound settings of a stream or a playlist item. */
export interface SoundSettings {
  readonly loudness: {
    /** Whether items are brought to the target; otherwise they play unchanged. */
    readonly enabled: boolean;
    readonly targetLUFS: number;
  };
  /** The join to the next item of an audio track; absent: a cut. */
  readonly join?: Join;
  /** How the sound of a video is heard under the audio track; absent: it is silent. */
  readonly under?: SoundUnder;
}

export interface SoundUnder {
  readonly enabled: boolean;
  /** Gain of the video's sound, after it has been brought to the wanted loudness. */
  readonly gainDB: number;
  /** Whether the sound is lowered during speech. */
  readonly duck: boolean;
}

export const underGains = { lowest: -40, highest: 0, step: 0.5 } as const;

export const joinKinds = ['cut', 'gap_free', 'fade', 'crossfade'] as const;

/** The join from an audio item to the next one. */
export interface Join {
  /**
   * Without a gap, the first sample follows the last one. A fade goes through silence. With a crossfade, the next item
   * begins while this one is still heard.
   */
  readonly kind: (typeof joinKinds)[number];
  /** Length of each fade; for a join without a gap, the time in which the next item comes into step. */
  readonly seconds: number;
}

/** The own setting of an item for its join to the next one: of an audio or a video track. */
export type OwnJoin = Join | PictureJoin;
/** The join from an item of a timeline to the next one. */
export type ItemJoin = Join | ShownJoin;

/** The gain that brings the sound of an item to the wanted loudness. */
export interface SoundLevel {
  readonly targetLUFS: number;
  readonly gainDB: number;
  /** Whether a limiter is needed because peaks would come too near to full scale. */
  readonly isLimited: boolean;
}

/** A level for the occurrences of an item that begin at a time of the run or later. */
export interface TimedLevel {
  readonly fromSeconds: number;
  /** The gain; null: the item plays unchanged. */
  readonly level: SoundLevel | null;
}

/** The target of platforms, which turn down louder sound. */
export const usualSound: Required<SoundSettings> = {
  loudness: { enabled: true, targetLUFS: -14 },
  join: { kind: 'cut', seconds: 3 },
  under: { enabled: false, gainDB: -12, duck: false },
};
/** Smallest and largest target, and the step: few targets, so that a content has few sound renditions. */
export const targetsLUFS = { quietest: -30, loudest: -8, step: 0.5 } as const;

/**
 * An item that follows without a gap begins up to 27 ms before or after its frame of the stream. After this time it is
 * in step with the frames again; the change of speed, 2 cents, is inaudible.
 */
export const gapFreeSeconds = 20;

export const joinSeconds = { shortest: 0.5, longest: 10, step: 0.1 } as const;

/** Sound within this distance of its target is sent unchanged, bit for bit: the difference is inaudible. */
const rightWithinLU = 0.3;
/** The largest gain. Sound that would need more is noise. */
const mostGainDB = 30;
/**
 * Highest peak before encoding, for −1 dBTP on the air: AAC at our bitrate added 1.3 dB to heavily limited sound in
 * measurements.
 */
export const highestPeakDBTP = -2.5;

/** The target loudness of an item: its own setting, or the stream's. @returns null: unchanged */
export function targetOf(item: SoundSettings | null | undefined, stream: SoundSettings | null): number | null {
  const { loudness } = item ?? stream ?? usualSound;
  return loudness.enabled ? loudness.targetLUFS : null;
}

/** Frames from the beginning of the next item to the end of this one. */
export function overlapFrames(join: ItemJoin | undefined, framesPerSecond: number): number {
  return join && overlaps(join) ? Math.round(join.seconds * framesPerSecond) : 0;
}

/** Whether an item is still visible or audible when the next one begins. */
export function overlaps({ kind }: Pick<ItemJoin, 'kind'>): boolean {
  return kind === 'crossfade' || 'transition' in effectOf(kind);
}

/** Whether an item fades to silence before the next one begins. */
export function isThroughSilence({ kind }: Pick<ItemJoin, 'kind'>): boolean {
  return kind === 'fade' || 'through' in effectOf(kind);
}

function effectOf(kind: ItemJoin['kind']): { readonly through?: string; readonly transition?: string } {
  return kind in pictureEffects ? pictureEffects[kind as PictureEffect] : {};
}

/** @returns null if the sound is within tolerance already, or is silent */
export function levelFor(loudness: Loudness | null, targetLUFS: number): SoundLevel | null {
  if (loudness === null) return null;
  const distanceLU = Math.round((targetLUFS - loudness.integratedLUFS) * 10) / 10;
  const gainDB = Math.abs(distanceLU) <= rightWithinLU ? 0 : Math.min(mostGainDB, distanceLU);
  const isLimited = loudness.truePeakDBTP + gainDB > highestPeakDBTP;
  return gainDB === 0 && !isLimited ? null : { targetLUFS, gainDB, isLimited };
}

/** The level of an occurrence of an item that begins at a frame of the run. */
export function levelAt(
  { levels = [] }: { readonly levels?: readonly TimedLevel[] },
  startFrame: number,
  framesPerSecond: number,
): SoundLevel | null {
  const isFor = ({ fromSeconds }: TimedLevel) => Math.round(fromSeconds * framesPerSecond) <= startFrame;
  return levels.findLast(isFor)?.level ?? null;
}

export function isSameLevel(one: SoundLevel | null, other: SoundLevel | null): boolean {
  return one?.targetLUFS === other?.targetLUFS && one?.gainDB === other?.gainDB && one?.isLimited === other?.isLimited;
}
