// Where each group of a playing is sent from: the rendition of its item, or a variant that has only what differs.
import { joinKey } from '../../domain/media/object-keys.ts';
import { lookKey, variantPart } from '../../domain/playout/drawings.ts';
import type { ItemOccurrence } from '../../domain/playout/play-out.ts';
import {
  formatName,
  formatNamed,
  formatOfItem,
  groupsOf,
  groupsOfSegment,
  groupsPerSegment,
  isSound,
  renditionOf,
  variantsOfItem,
} from '../../domain/playout/rendition.ts';
import type { Rendition, RenditionFormat } from '../../domain/playout/rendition.ts';
import type { PlacedMix } from '../../domain/playout/mixed-sound.ts';
import { pictureJoinsAt } from '../../domain/playout/picture-joins.ts';
import type { PlacedPictureJoin } from '../../domain/playout/picture-joins.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { isTail, joinsAt } from '../../domain/playout/sound-joins.ts';
import type { JoinedTrack, PlacedJoin } from '../../domain/playout/sound-joins.ts';
import { titledPicturesAt } from '../../domain/playout/titled-pictures.ts';
import { segmentKey } from './segment-format.ts';

/** What is asked for where a segment is damaged or gone: a segment of the item's rendition, or a join by its name. */
export type MadeFrom = { readonly format: RenditionFormat; readonly segment: number } | { readonly join: string };

/** An object with successive groups of an item, which are counted from the item's beginning. */
export interface SourceSegment {
  readonly key: string;
  readonly firstGroup: number;
  readonly groupCount: number;
  readonly made: MadeFrom;
}

/**
 * Something from which groups of an item can be sent. A pure function of the timeline names the sources of a playing,
 * the best one first; the last one is its base and has all groups. A variant names none but the segments that differ.
 */
export interface SegmentSource {
  /** The segment with a group; null where this source has none with it. */
  segmentWith(group: number): SourceSegment | null;
  /** The first group from `group` on, `group` included, that this source has; Infinity where it has none. */
  firstFrom(group: number): number;
  /** Whether the sound of its pictures is sent where other sound takes the place of the others'. */
  readonly keepsSound: boolean;
}

/** What decides from which renditions an item is sent. */
export interface WantedLook {
  readonly occurrence: Pick<ItemOccurrence, 'item' | 'startFrame'>;
  /** Of the stream's pictures, without framing and drawing, or of its sound. */
  readonly format: RenditionFormat;
  readonly framesPerSecond: number;
  /** As in a PreparedTimeline. */
  readonly looks: ReadonlyMap<string, number> | undefined;
}

/**
 * The renditions that an item can be sent from, the best one first: as it is to look, else without what is drawn over
 * it, else with black bars, else in any other one that is there.
 * @param formats the names of those that are there, one at least; undefined: the one with black bars
 */
export function renditionsOf(
  contentHash: string,
  formats: readonly string[] | undefined,
  look: WantedLook,
): Rendition[] {
  const { occurrence, format } = look;
  const { item } = occurrence;
  const base = formatName(format);
  const there = formats ?? [base];
  const { framing, drawn } = item;
  const wanted = formatName(formatOfItem(format, item));
  const best = [
    ...(drawn === undefined || isKnownTo(look, contentHash, wanted) ? [wanted] : []),
    formatName(formatOfItem(format, { ...(framing && { framing }) })),
    base,
    ...there.toSorted(),
  ];
  const names = [...new Set(best)].filter((name) => there.includes(name));
  return names.map((name) => renditionOf(contentHash, item, formatNamed(name)));
}

/** What is sent in place of some pictures of a playing, the best first. */
export function variantSources(contentHash: string, look: WantedLook, playing: Playing): SegmentSource[] {
  const { occurrence, format, framesPerSecond } = look;
  const { item, startFrame } = occurrence;
  const seconds = (playing.startFrame - startFrame) / framesPerSecond;
  return variantsOfItem(format, item).flatMap((named) => {
    if (!isKnownTo(look, contentHash, formatName(named))) return [];
    // Of a still image, each repetition has the variant or has it not.
    const isOver = item.kind === 'image' && seconds >= variantPart(named.variant!, item).toSeconds;
    return isOver ? [] : [wholeRendition(renditionOf(contentHash, item, named))];
  });
}

/**
 * Whether an item is sent with all that is drawn over it. Joins are made with that, so until then there are none: what
 * is drawn would be seen in them alone.
 */
export function isSentAsDrawn(contentHash: string, look: WantedLook): boolean {
  const { occurrence, format } = look;
  const { item } = occurrence;
  const drawn = item.drawn === undefined ? [] : [formatOfItem(format, item)];
  return [...drawn, ...variantsOfItem(format, item)].every((named) => isKnownTo(look, contentHash, formatName(named)));
}

/** Whether all agents know of a rendition with a drawing when an item begins, as each has to send the same. */
function isKnownTo({ occurrence, framesPerSecond, looks }: WantedLook, contentHash: string, name: string): boolean {
  const fromSeconds = looks?.get(lookKey(contentHash, name)) ?? Infinity;
  return Math.round(fromSeconds * framesPerSecond) <= occurrence.startFrame;
}

/** All that a rendition has. */
export function wholeRendition(rendition: Rendition): SegmentSource {
  const { format } = rendition;
  const { first, end } = groupsOf(rendition);
  const segmentWith = (group: number): SourceSegment | null => {
    if (group < first || group >= end) return null;
    const segment = Math.floor((group - first) / groupsPerSegment(format));
    return { key: segmentKey(rendition, segment), ...groupsOfSegment(rendition, segment), made: { format, segment } };
  };
  const firstFrom = (group: number) => (group < end ? Math.max(group, first) : Infinity);
  return { segmentWith, firstFrom, keepsSound: false };
}

/** A track of a stream, with the joins that are made. */
export interface SentTrack extends JoinedTrack {
  /** By name, the joins that are sent where they begin at a time of the run, in seconds, or later; absent: none. */
  readonly joins?: ReadonlyMap<string, number>;
}

/**
 * The joins of a playing that all agents know of, and its pictures from a group on that tell of the sound track. What
 * stands in for something else has none.
 */
export function joinSources(
  { joins, ...track }: SentTrack,
  playing: Playing,
  group: number,
  { format, framesPerSecond }: Pick<WantedLook, 'format' | 'framesPerSecond'>,
): SegmentSource[] {
  const { occurrence, startFrame, frameCount } = playing;
  if (!joins?.size || occurrence.isStandIn) return [];
  const all: readonly (PlacedJoin | PlacedPictureJoin)[] = isSound(format)
    ? joinsAt(track, occurrence, framesPerSecond)
    : pictureJoinsAt(track, occurrence, format);
  const titled = isSound(format) ? null : titledPicturesAt(track, playing, group, format);
  // A still is several playings, of which the first and the last one have joins.
  const isFirst = startFrame === occurrence.startFrame;
  const isLast = startFrame + frameCount === occurrence.startFrame + occurrence.frameCount;
  const here = all.filter(({ recipe: { shape } }) => (isTail(shape) ? isLast : isFirst));
  return [...here, ...(titled ? [titled] : [])]
    .filter((each) => isSentFrom(each, joins, framesPerSecond))
    .map(joinSource);
}

/** Whether all agents know of what is made, so that they send it. */
export function isSentFrom(
  { name, startFrame }: Pick<PlacedJoin, 'name' | 'startFrame'>,
  joins: ReadonlyMap<string, number>,
  framesPerSecond: number,
): boolean {
  return Math.round((joins.get(name) ?? Infinity) * framesPerSecond) <= startFrame;
}

/** What was made of several items, in place of some groups of the item that has it. */
export function joinSource({
  name,
  recipe: { firstGroup, groupCount },
}: PlacedJoin | PlacedPictureJoin | PlacedMix): SegmentSource {
  const end = firstGroup + groupCount;
  const segment = { key: joinKey(name), firstGroup, groupCount, made: { join: name } };
  return {
    segmentWith: (group) => (group >= firstGroup && group < end ? segment : null),
    firstFrom: (group) => (group < end ? Math.max(group, firstGroup) : Infinity),
    keepsSound: true,
  };
}

/** A segment, the source that it is of, and up to which group it is the best that there is. */
export interface FoundSegment {
  readonly source: SegmentSource;
  readonly segment: SourceSegment;
  readonly end: number;
}

/** The best segment with a group. @returns null where no source has the group */
export function segmentFor(sources: readonly SegmentSource[], group: number): FoundSegment | null {
  let end = Infinity;
  for (const source of sources) {
    const segment = source.segmentWith(group);
    if (segment) return { source, segment, end: Math.min(end, segment.firstGroup + segment.groupCount) };
    end = Math.min(end, source.firstFrom(group));
  }
  return null;
}
