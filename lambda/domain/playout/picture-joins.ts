// How items of pictures follow one another: what is prepared of two of them, as a pure function of the timeline.
import { captionsOver, variantAt } from './drawings.ts';
import type { Variant } from './drawings.ts';
import { variantWith } from './drawing-names.ts';
import { pictureJoinSeconds, usualLook } from './look.ts';
import type { PictureJoin } from './look.ts';
import { overlayBounds } from './overlays.ts';
import { frameCountOf } from './play-out.ts';
import type { ItemOccurrence, TimelineItem } from './play-out.ts';
import { firstSoundFrameFrom, soundGridFrame } from './prepared-play-out.ts';
import { formatName, stillSeconds } from './rendition.ts';
import type { PictureFormat } from './rendition.ts';
import { joinName, occurrenceBefore, soundOf } from './sound-joins.ts';
import type { JoinedSound, JoinedTrack, JoinRecipe } from './sound-joins.ts';
import type { ItemJoin } from './sound.ts';
import { laterBy, overlaysAt, soundTexts } from './sound-titles.ts';
import { framesOf, longestPart, underStinger } from './stinger-joins.ts';
import type { ShownStinger, StingerPictures } from './stinger-joins.ts';
import { framesPerSecond as rates } from '../shared/video-format.ts';
import type { DynamicRange } from '../shared/video-format.ts';

/**
 * The pictures of an item, as a join has them: framed, with what is drawn over them in the rendition or variant that is
 * sent at that time of the item.
 */
export interface JoinedPictures extends Pick<PictureFormat, 'framing' | 'drawn' | 'variant'> {
  readonly contentHash: string;
  readonly kind: 'video' | 'image';
  readonly dynamicRange?: DynamicRange;
}

/** What is prepared where pictures are joined, with the sound that goes with it; groups count as those of the item. */
export interface PictureJoinRecipe {
  /** `plain`: nothing is joined, as texts alone make the difference (`titled-pictures.ts`). */
  readonly shape: 'crossfade' | 'fadeIn' | 'fadeOut' | 'stingerStart' | 'stingerEnd' | 'plain';
  readonly seconds: number;
  /** The name of the stream's format, without framing and drawing. */
  readonly format: string;
  readonly item: JoinedPictures;
  readonly firstGroup: number;
  readonly groupCount: number;
  /** Of a crossfade: the item that goes on beneath, and its picture that is due together with the first one here. */
  readonly from: (JoinedPictures & { readonly group: number }) | null;
  /** Absent: no stinger is over them. */
  readonly stinger?: StingerPictures;
  readonly sound: JoinRecipe;
}

/** A join of pictures where a timeline has it. */
export interface PlacedPictureJoin {
  readonly recipe: PictureJoinRecipe;
  readonly name: string;
  /** Where the item begins that has it: an agent that is at it by then has to know that it is there. */
  readonly startFrame: number;
  /** What has to be noted before it is made, as no item has it. */
  readonly drawings: readonly Variant[];
}

/** What is made otherwise has another version. */
const recipeVersion = 1;
/** What follows a shorter item follows by a cut: else so many joins would be made that preparing costs as encoding. */
const shortestJoinedSeconds = 5;

/**
 * Items of a track of pictures with their joins: their own, or that of their stream. A join lasts half of the shortest
 * item at most, and a stinger that would be cut short is none. A still image that is all there is has none.
 * @param items without joins
 * @param stinger null: there is none, so what wants it is followed by a cut
 */
export function withPictureJoins(
  items: readonly TimelineItem[],
  ofStream: PictureJoin = usualLook.join,
  stinger: ShownStinger | null = null,
): TimelineItem[] {
  const shortest = Math.min(...items.map(({ durationSeconds }) => Math.max(1, durationSeconds)));
  const longest = Math.min(pictureJoinSeconds.longest, Math.floor((shortest / 2) * 10) / 10);
  const isStill = items.every(({ kind, uploadID }) => kind === 'image' && uploadID === items[0]!.uploadID);
  return items.map((item) => {
    const { kind, seconds } = item.ownJoin ?? ofStream;
    if (kind === 'cut' || isStill || item.durationSeconds < shortestJoinedSeconds) return item;
    if (kind !== 'stinger') return { ...item, join: { kind, seconds: Math.min(seconds, longest) } };
    return stinger && longestPart(stinger) <= longest ? { ...item, join: { kind, ...stinger } } : item;
  });
}

interface Joined {
  readonly track: JoinedTrack;
  readonly occurrence: ItemOccurrence;
  readonly format: PictureFormat;
}

/** The joins of an occurrence of pictures: those that take the place of its first and of its last ones. */
export function pictureJoinsAt(
  track: JoinedTrack,
  occurrence: ItemOccurrence,
  format: PictureFormat,
): PlacedPictureJoin[] {
  const before = occurrenceBefore(track.entries, occurrence, rates[format.framerate]);
  const joined = { track, occurrence, format };
  return [...(before ? headOf(joined, before) : []), ...tailOf(joined)];
}

function headOf({ track, occurrence, format }: Joined, before: ItemOccurrence): PlacedPictureJoin[] {
  const { join } = before.item;
  if (!join) return [];
  const rate = rates[format.framerate];
  const gop = gopFrames(rate);
  const groupCount = occurrence.item.kind === 'image' ? gop : Math.min(gop, frameCountOf(occurrence.item, rate));
  const variant = variantOver(track, occurrence, { baseFrame: occurrence.startFrame, first: 0, end: groupCount }, rate);
  const own = picturesOf(track, occurrence, format, 0, variant);
  if (!own) return [];
  const shape = headShapes[join.kind];
  if (!shape) return [];
  // It goes on with what is drawn over its end: a title that is still shown then fades out with it.
  const beneath = beneathFrames(before, groupCount);
  const variantBefore = shape === 'crossfade' ? variantOver(track, before, beneath, rate) : null;
  const from = shape === 'crossfade' ? picturesOf(track, before, format, before.frameCount, variantBefore) : null;
  if (shape === 'crossfade' && !from) return [];
  const soundGroup = soundGridFrame(occurrence.startFrame, rate) - soundGridFrame(before.startFrame, rate);
  const place = { shape, seconds: join.seconds, firstGroup: 0, groupCount };
  const sound = soundOfPictures(place, own.sound, from && { ...from.sound, group: soundGroup }, rate);
  const recipe = {
    ...place,
    format: formatName(format),
    item: own.pictures,
    from: from && { ...from.pictures, group: before.item.kind === 'image' ? 0 : before.frameCount },
    ...underStinger(join, { sound, frame: framesOf(join, rate), firstGroup: 0, rate }),
  };
  return [placedPictures(recipe, occurrence.startFrame, [variant, variantBefore])];
}

const headShapes: Readonly<Partial<Record<ItemJoin['kind'], PictureJoinRecipe['shape']>>> = {
  crossfade: 'crossfade',
  dip: 'fadeIn',
  stinger: 'stingerStart',
};

/** The pictures of an item that goes on beneath the next one: of a still those of its beginning. */
function beneathFrames({ item, startFrame, frameCount }: ItemOccurrence, groupCount: number): DrawnPictures {
  const end = startFrame + frameCount;
  if (item.kind === 'image') return { baseFrame: end, first: 0, end: groupCount };
  return { baseFrame: startFrame, first: frameCount, end: frameCount + groupCount };
}

function tailOf({ track, occurrence, format }: Joined): PlacedPictureJoin[] {
  const { item, frameCount } = occurrence;
  const rate = rates[format.framerate];
  if (item.join?.kind !== 'dip' && item.join?.kind !== 'stinger') return [];
  const gop = gopFrames(rate);
  const fadeStart = frameCount - framesOf(item.join, rate);
  const first = Math.floor(fadeStart / gop) * gop;
  // The prepared pictures of a still are shown again and again: its last ones are such pictures as well.
  const isStill = item.kind === 'image';
  if (first < gop || (isStill && first + gop !== frameCount)) return [];
  const firstGroup = isStill ? 0 : first;
  const groupCount = frameCount - first;
  const baseFrame = occurrence.startFrame + first - firstGroup;
  const variant = variantOver(track, occurrence, { baseFrame, first: firstGroup, end: firstGroup + groupCount }, rate);
  const own = picturesOf(track, occurrence, format, first, variant);
  if (!own) return [];
  const shape = item.join.kind === 'dip' ? ('fadeOut' as const) : ('stingerEnd' as const);
  const place = { shape, seconds: item.join.seconds, firstGroup, groupCount };
  const sound = soundOfPictures(place, own.sound, null, rate);
  const heard = underStinger(item.join, { sound, frame: first - fadeStart, firstGroup, rate });
  const recipe = { ...place, format: formatName(format), item: own.pictures, from: null, ...heard };
  return [placedPictures(recipe, occurrence.startFrame, [variant])];
}

/** Pictures of an item: `first` to `end`, not included, where the item's first one would be at a frame of the run. */
interface DrawnPictures {
  readonly baseFrame: number;
  readonly first: number;
  readonly end: number;
}

/** How long a text that tells of the sound track is shown over prepared pictures at most. */
export function longestToldSeconds({ kind }: Pick<TimelineItem, 'kind'>): number {
  return kind === 'image' ? Infinity : overlayBounds.titleSeconds[1];
}

/**
 * What tells of the sound track over prepared pictures of an item; null: nothing does. Moving pictures with a text are
 * made for each time that it is shown, and so not for the whole of a song.
 */
export function variantOver(
  { entries, heard }: JoinedTrack,
  occurrence: ItemOccurrence,
  { baseFrame, first, end }: DrawnPictures,
  framesPerSecond: number,
): Variant | null {
  const overlays = overlaysAt(entries, occurrence);
  if (!heard || !overlays?.ofSound) return null;
  const longest = longestToldSeconds(occurrence.item);
  const stretch = { startFrame: baseFrame + first, frameCount: end - first };
  const texts = soundTexts(overlays, heard, stretch, framesPerSecond, longest).map((text) =>
    laterBy(first / framesPerSecond, text),
  );
  const captions = captionsOver(overlays, occurrence.item);
  return texts.length === 0 ? null : variantWith({ logo: overlays.logo, texts, captions });
}

/** The sound that goes with pictures that are joined. */
export function soundOfPictures(
  {
    shape,
    seconds,
    firstGroup,
    groupCount,
  }: Pick<PictureJoinRecipe, 'shape' | 'seconds' | 'firstGroup' | 'groupCount'>,
  item: JoinedSound,
  from: JoinRecipe['from'],
  rate: number,
): JoinRecipe {
  const first = firstSoundFrameFrom(firstGroup, rate);
  const count = firstSoundFrameFrom(firstGroup + groupCount, rate) - first;
  return { shape, seconds, item, firstGroup: first, groupCount: count, from };
}

function gopFrames(rate: number): number {
  return Math.round(stillSeconds * rate);
}

/**
 * @param frame from which on they are seen
 * @param told what tells of the sound track over them; null: nothing does
 * @returns null where it is not known what the item was prepared from
 */
export function picturesOf(
  track: JoinedTrack,
  occurrence: ItemOccurrence,
  format: PictureFormat,
  frame: number,
  told: Variant | null,
) {
  const { kind, dynamicRange, framing, drawn, hasAudio } = occurrence.item;
  const rate = rates[format.framerate];
  const sound = soundOf(track, occurrence, rate);
  if (!sound || kind === 'audio') return null;
  const { contentHash } = sound;
  const variant = told?.name ?? variantAt(occurrence.item, frame / rate);
  const look = { ...(framing && { framing }), ...(drawn && { drawn }), ...(variant && { variant }) };
  const pictures: JoinedPictures = { contentHash, kind, ...(dynamicRange && { dynamicRange }), ...look };
  return { pictures, sound: hasAudio ? sound : { ...sound, isSilent: true as const } };
}

export function placedPictures(
  recipe: PictureJoinRecipe,
  startFrame: number,
  told: readonly (Variant | null)[],
): PlacedPictureJoin {
  const drawings = told.filter((variant) => variant !== null);
  return { recipe, name: pictureJoinName(recipe), startFrame, drawings };
}

/** The name by which a join of pictures is kept: of all that decides what is seen and heard in it. */
function pictureJoinName({ format, item, from, stinger, firstGroup, groupCount, sound }: PictureJoinRecipe): string {
  const parts = [`p${recipeVersion}`, format, `${firstGroup}-${groupCount}`, lookName(item)];
  // Which stinger it is, its sound says, silent or not.
  const others = [...(from ? [`${lookName(from)}_${from.group}`] : []), ...(stinger ? [`s${stinger.frame}`] : [])];
  return [...parts, ...others, joinName(sound)].join('/');
}

function lookName({ framing, drawn, variant }: JoinedPictures): string {
  return [framing ?? 'plain', drawn, variant].filter((part) => part !== undefined).join('-');
}

/** The format that one of the items of a join is made in. */
export function formatOfJoined(format: PictureFormat, { framing, drawn, variant }: JoinedPictures): PictureFormat {
  return { ...format, ...(framing && { framing }), ...(drawn && { drawn }), ...(variant && { variant }) };
}
