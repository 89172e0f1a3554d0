// How loud the items of a stream are: what is wished, and the gain that makes an item so.
import { pictureEffects } from './look.ts';
import type { PictureEffect, PictureJoin, ShownJoin } from './look.ts';
import type { Loudness } from './loudness.ts';

/** What a stream, or an item of a playlist, says of its sound. */
export interface SoundSettings {
  readonly loudness: {
    /** Whether items are brought to the target; else they play as loud as they are. */
    readonly enabled: boolean;
    readonly targetLUFS: number;
  };
  /** How items of a sound track follow one another; absent: by a cut. */
  readonly join?: Join;
  /** How the sound of a video is heard under that of the sound track; absent: not at all. */
  readonly under?: SoundUnder;
}

export interface SoundUnder {
  readonly enabled: boolean;
  /** Of the video's sound, once that is as loud as is wished. */
  readonly gainDB: number;
  /** Whether it is lower while somebody speaks over it. */
  readonly duck: boolean;
}

export const underGains = { lowest: -40, highest: 0, step: 0.5 } as const;

export const joinKinds = ['cut', 'gap_free', 'fade', 'crossfade'] as const;

/** How an item of a sound track is followed by the next one. */
export interface Join {
  /**
   * Without a gap, the first sample follows the last one. A fade goes through silence; with a crossfade the next item
   * begins while this one is still heard.
   */
  readonly kind: (typeof joinKinds)[number];
  /** How long each fade lasts; of a join without a gap, how long the next item takes to come into step. */
  readonly seconds: number;
}

/** What an item says of how it is followed: of a track of sound, or of pictures. */
export type OwnJoin = Join | PictureJoin;
/** How an item of a timeline is followed by the next one. */
export type ItemJoin = Join | ShownJoin;

/** What makes the sound of an item as loud as is wished. */
export interface SoundLevel {
  readonly targetLUFS: number;
  readonly gainDB: number;
  /** Whether peaks would come too near to full scale, so that a limiter holds them down. */
  readonly isLimited: boolean;
}

/** A level that is for the occurrences of an item which begin at a time of the run or later. */
export interface TimedLevel {
  readonly fromSeconds: number;
  /** Null: the item plays as it is. */
  readonly level: SoundLevel | null;
}

/** What platforms play at: they turn down what is louder. */
export const usualSound: Required<SoundSettings> = {
  loudness: { enabled: true, targetLUFS: -14 },
  join: { kind: 'cut', seconds: 3 },
  under: { enabled: false, gainDB: -12, duck: false },
};
/** In these steps, so that a content has few renditions of sound. */
export const targetsLUFS = { quietest: -30, loudest: -8, step: 0.5 } as const;

/**
 * An item that follows without a gap begins up to 27 ms before or after its frame of the stream. It is in step with the
 * frames again after this time, at a speed that nobody hears: 2 cents.
 */
export const gapFreeSeconds = 20;

export const joinSeconds = { shortest: 0.5, longest: 10, step: 0.1 } as const;

/** What is nearer to its target is right already: nobody hears the difference, and it is sent bit for bit as before. */
const rightWithinLU = 0.3;
/** What is quieter than this below its target is noise rather than sound: so much it is made louder at most. */
const mostGainDB = 30;
/**
 * What peaks may have before they are encoded, for −1 dBTP on the air: AAC at our bitrate was seen to add 1.3 dB to
 * sound that is limited hard.
 */
export const highestPeakDBTP = -2.5;

/** What an item is to sound like: its own setting, else its stream's. @returns null: as it is */
export function targetOf(item: SoundSettings | null | undefined, stream: SoundSettings | null): number | null {
  const { loudness } = item ?? stream ?? usualSound;
  return loudness.enabled ? loudness.targetLUFS : null;
}

/** How many frames before its end an item is followed by the next one. */
export function overlapFrames(join: ItemJoin | undefined, framesPerSecond: number): number {
  return join && overlaps(join) ? Math.round(join.seconds * framesPerSecond) : 0;
}

/** Whether an item is still seen or heard when the next one begins. */
export function overlaps({ kind }: Pick<ItemJoin, 'kind'>): boolean {
  return kind === 'crossfade' || 'transition' in effectOf(kind);
}

/** Whether an item passes to silence before the next one begins. */
export function isThroughSilence({ kind }: Pick<ItemJoin, 'kind'>): boolean {
  return kind === 'fade' || 'through' in effectOf(kind);
}

function effectOf(kind: ItemJoin['kind']): { readonly through?: string; readonly transition?: string } {
  return kind in pictureEffects ? pictureEffects[kind as PictureEffect] : {};
}

/** @returns null where the sound is right already, or is none */
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
