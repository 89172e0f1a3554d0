// How items of a sound track follow one another: what a join is made of, as a pure function of the timeline.
import { occurrenceAt, occurrencesFrom } from './play-out.ts';
import type { ItemOccurrence, TimelineEntry, TimelineItem } from './play-out.ts';
import { soundFramesOf, soundGridFrame } from './prepared-play-out.ts';
import type { PictureFormat } from './rendition.ts';
import { gapFreeSeconds, joinSeconds, levelAt, usualSound } from './sound.ts';
import type { Join, SoundLevel } from './sound.ts';

/** The sound of an item, as a join has it. */
export interface JoinedSound {
  readonly contentHash: string;
  /** Null: as loud as it is. */
  readonly level: SoundLevel | null;
  readonly durationSeconds: number;
  /** Its file has none: it is silent. */
  readonly isSilent?: true;
}

/**
 * What a join is made of. It takes the place of AAC frames of one item, which are counted from that item's beginning,
 * and its own name follows from all of this: so whoever plays the same pair has the same join.
 */
export interface JoinRecipe {
  /** `plain`: it is heard as it is, with pictures that have more drawn over them. */
  readonly shape:
    | 'crossfade'
    | 'fadeIn'
    | 'fadeOut'
    | 'gapFreeStart'
    | 'gapFreeEnd'
    | 'stingerStart'
    | 'stingerEnd'
    | 'plain';
  readonly seconds: number;
  readonly item: JoinedSound;
  readonly firstGroup: number;
  readonly groupCount: number;
  /** The item that goes on beneath a beginning, and its frame that is due together with the first one here. */
  readonly from: (JoinedSound & { readonly group: number }) | null;
  /** The item that follows without a gap; absent for all other shapes than such an end. */
  readonly to?: JoinedSound;
  /** What is heard together with the item; absent for all shapes but those of a stinger. */
  readonly over?: SoundOver;
}

/** The sound of a stinger. */
export interface SoundOver extends JoinedSound {
  /** Its sample that is due together with the first one of the join; negative: it begins so many later. */
  readonly startSample: number;
}

/** A join where a timeline has it. */
export interface PlacedJoin {
  readonly recipe: JoinRecipe;
  readonly name: string;
  /** Where the item begins that has it: an agent that is at it by then has to know that it is there. */
  readonly startFrame: number;
}

/** A track of a run, with the contents that its uploads have. */
export interface JoinedTrack {
  readonly entries: readonly TimelineEntry[];
  readonly contentHashes: ReadonlyMap<string, string>;
  /** The sound track, where texts over these pictures tell of it. */
  readonly heard?: readonly TimelineEntry[];
  /** The pictures whose own sound is heard under this sound track, and the stream's format of them; absent: none is. */
  readonly under?: { readonly pictures: JoinedTrack; readonly format: PictureFormat };
}

/** What is made otherwise has another version, so that nobody takes the one for the other. */
const recipeVersion = 1;
export const soundSampleRate = 48_000;
export const samplesPerSoundFrame = 1024;
const aacFramesPerSecond = soundSampleRate / samplesPerSoundFrame;
/** Where an item ends without a gap, its last frames are made with what follows: its media may end so much earlier. */
const gapFreeEndGroups = 8;
/** After the fade the encoder needs so many frames to give what it gives for the item alone. */
const settlingGroups = 8;

/**
 * Items of a sound track with their joins: their own, or that of their stream. A join lasts half of the shortest item
 * at most, so that no more than two items are heard together, in whatever order they are played.
 * @param items without joins
 */
export function withJoins(items: readonly TimelineItem[], ofStream: Join = usualSound.join): TimelineItem[] {
  const shortest = Math.min(...items.map(({ durationSeconds }) => Math.max(1, durationSeconds)));
  const longest = Math.floor((shortest / 2) * 10) / 10;
  return items.map((item) => {
    const { kind, seconds } = item.ownJoin ?? ofStream;
    if (kind === 'dip' || kind === 'stinger') throw new TypeError(`a sound track has no ${kind}`);
    const join = { kind, seconds: Math.min(kind === 'gap_free' ? gapFreeSeconds : seconds, longest) };
    return kind === 'cut' || join.seconds < joinSeconds.shortest ? item : { ...item, join };
  });
}

/** Whether anything that a track plays has a join: of sound, or of pictures. */
export function hasJoins(entries: readonly TimelineEntry[]): boolean {
  return entries.some(({ snapshot }) => snapshot.items.some(({ join }) => join !== undefined));
}

/** The joins of an occurrence: those that take the place of its first and of its last frames. */
export function joinsAt(track: JoinedTrack, occurrence: ItemOccurrence, framesPerSecond: number): PlacedJoin[] {
  const item = soundOf(track, occurrence, framesPerSecond);
  if (!item) return [];
  const before = occurrenceBefore(track.entries, occurrence, framesPerSecond);
  const groups = soundFramesOf(occurrence, framesPerSecond);
  return [
    ...(before ? headOf(track, before, { item, occurrence, framesPerSecond }) : []),
    ...tailOf(track, { item, occurrence, framesPerSecond }, groups),
  ];
}

interface Beginning {
  readonly item: JoinedSound;
  readonly occurrence: ItemOccurrence;
  readonly framesPerSecond: number;
}

function headOf(track: JoinedTrack, before: ItemOccurrence, { item, occurrence, framesPerSecond }: Beginning) {
  const { join } = before.item;
  if (!join) return [];
  const groupCount = groupsIn(join.seconds) + settlingGroups;
  const { startFrame } = occurrence;
  const common = { seconds: join.seconds, item, firstGroup: 0, groupCount };
  if (join.kind === 'fade') return [placed({ shape: 'fadeIn', ...common, from: null }, startFrame)];
  const sound = soundOf(track, before, framesPerSecond);
  if (!sound) return [];
  const group = soundGridFrame(startFrame, framesPerSecond) - soundGridFrame(before.startFrame, framesPerSecond);
  const shape = join.kind === 'crossfade' ? 'crossfade' : 'gapFreeStart';
  return [placed({ shape, ...common, from: { ...sound, group } }, startFrame)];
}

function tailOf(track: JoinedTrack, { item, occurrence, framesPerSecond }: Beginning, groups: number) {
  const { startFrame, frameCount } = occurrence;
  const { join } = occurrence.item;
  if (join?.kind !== 'fade' && join?.kind !== 'gap_free') return [];
  const groupCount = Math.min(groups, join.kind === 'fade' ? groupsIn(join.seconds) + 1 : gapFreeEndGroups);
  const common = { seconds: join.seconds, item, firstGroup: groups - groupCount, groupCount, from: null };
  if (join.kind === 'fade') return [placed({ shape: 'fadeOut', ...common }, startFrame)];
  const [next] = occurrencesFrom(track.entries, startFrame + frameCount, framesPerSecond).take(1);
  const to = soundOf(track, next!, framesPerSecond);
  return to ? [placed({ shape: 'gapFreeEnd', ...common, to }, startFrame)] : [];
}

/** Whether a join takes the place of the last frames of an item, and not of its first. */
export function isTail(shape: JoinRecipe['shape']): boolean {
  return shape === 'fadeOut' || shape === 'gapFreeEnd' || shape === 'stingerEnd';
}

function groupsIn(seconds: number): number {
  return Math.ceil(seconds * aacFramesPerSecond);
}

function placed(recipe: JoinRecipe, startFrame: number): PlacedJoin {
  return { recipe, name: joinName(recipe), startFrame };
}

/** The name by which a join is kept: of all that decides what is heard in it. */
export function joinName({ shape, seconds, item, firstGroup, groupCount, from, to, over }: JoinRecipe): string {
  const frames = `${firstGroup}-${groupCount}`;
  const parts = [`v${recipeVersion}`, `${shape}-${seconds}`, soundName(item), frames];
  const others = [...(from ? [`${soundName(from)}_${from.group}`] : []), ...(to ? [soundName(to)] : [])];
  return [...parts, ...others, ...(over ? [`${soundName(over)}_${over.startSample}`] : [])].join('/');
}

/** The contents that are heard in a join, each once. */
export function contentsOfJoin({ item, from, to, over }: JoinRecipe): string[] {
  return [...new Set([item, from, to, over].flatMap((sound) => sound?.contentHash ?? []))];
}

/** A sound as names have it: its content, and how loud that is made. */
export function soundName({ contentHash, level }: Pick<JoinedSound, 'contentHash' | 'level'>): string {
  if (!level) return contentHash;
  return [contentHash, level.targetLUFS, level.gainDB, ...(level.isLimited ? ['limited'] : [])].join('_');
}

/** Null where nothing is known of what the item was prepared from. */
export function soundOf({ contentHashes }: JoinedTrack, { item, startFrame }: ItemOccurrence, rate: number) {
  const contentHash = contentHashes.get(item.uploadID);
  if (contentHash === undefined) return null;
  return { contentHash, level: levelAt(item, startFrame, rate), durationSeconds: item.durationSeconds };
}

/** What plays until an occurrence begins; null for what a run begins with. */
export function occurrenceBefore(
  entries: readonly TimelineEntry[],
  { startFrame }: ItemOccurrence,
  framesPerSecond: number,
): ItemOccurrence | null {
  if (startFrame === 0) return null;
  const before = occurrenceAt(entries, startFrame - 1, framesPerSecond);
  return before.startFrame + before.frameCount === startFrame ? before : null;
}
