// What joins by a stinger are made of, as far as other joins are not.
import type { StingerJoin } from './look.ts';
import { samplesPerSoundFrame, soundSampleRate } from './sound-joins.ts';
import type { JoinRecipe, SoundOver } from './sound-joins.ts';
import type { ItemJoin } from './sound.ts';
import { secondsAfterCut } from './stinger.ts';
import type { Stinger } from './stinger.ts';

/** A stinger, as a join has its pictures. */
export interface StingerPictures extends Pick<Stinger, 'contentHash' | 'videoCodec' | 'dynamicRange'> {
  /** Its picture that is due together with the first one of the join; negative: it begins so many later. */
  readonly frame: number;
}

/** A stinger, and how long it is seen over the item that ends. */
export type ShownStinger = Omit<StingerJoin, 'kind'>;

/** How long a stinger is seen over either item, in seconds. */
export function longestPart({ seconds, stinger: { durationSeconds } }: ShownStinger): number {
  return Math.max(seconds, secondsAfterCut(durationSeconds, seconds));
}

/** Whether an item is followed in the same way. */
export function isSameJoin(one: ItemJoin | undefined, other: ItemJoin | undefined): boolean {
  return one?.kind === other?.kind && one?.seconds === other?.seconds && stingerIn(one) === stingerIn(other);
}

function stingerIn(join: ItemJoin | undefined): string | null {
  return join?.kind === 'stinger' ? join.stinger.objectKey : null;
}

/** How long a join lasts, in frames. */
export function framesOf({ seconds }: Pick<ItemJoin, 'seconds'>, rate: number): number {
  return Math.round(seconds * rate);
}

interface UnderStinger {
  readonly sound: JoinRecipe;
  /** As of `StingerPictures`. */
  readonly frame: number;
  /** Of the pictures. */
  readonly firstGroup: number;
  readonly rate: number;
}

/** What is heard in a join, and what is seen over it. */
export function underStinger(
  join: ItemJoin,
  { sound, frame, firstGroup, rate }: UnderStinger,
): { readonly sound: JoinRecipe; readonly stinger?: StingerPictures } {
  if (join.kind !== 'stinger') return { sound };
  const { contentHash, videoCodec, dynamicRange, durationSeconds, hasAudio } = join.stinger;
  const samplesAt = (frames: number) => (frames * soundSampleRate) / rate;
  const over: SoundOver = {
    contentHash,
    level: null,
    durationSeconds,
    ...(!hasAudio && { isSilent: true }),
    startSample: sound.firstGroup * samplesPerSoundFrame - samplesAt(firstGroup) + samplesAt(frame),
  };
  const stinger = { contentHash, videoCodec, ...(dynamicRange && { dynamicRange }), frame };
  return { sound: { ...sound, over }, stinger };
}
