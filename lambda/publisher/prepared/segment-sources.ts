// The sources of each group of a playing: the rendition of its item, or variants and joins with only some groups.
import { joinKey } from '../../domain/media/object-keys.ts';
import { lookKey, variantPart } from '../../domain/playout/drawings.ts';
import { fromOrigin } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence } from '../../domain/playout/play-out.ts';
import {
  formatName,
  formatOfItem,
  groupsOf,
  groupsOfSegment,
  groupsPerSegment,
  isSound,
  renditionOf,
  soundAt,
  variantsOfItem,
} from '../../domain/playout/rendition.ts';
import type { Rendition, RenditionFormat } from '../../domain/playout/rendition.ts';
import { picturePartsAt, soundPartsAt, titledPartAt } from '../../domain/playout/composition-parts.ts';
import type { PlacedPart } from '../../domain/playout/composition-parts.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { levelAt } from '../../domain/playout/sound.ts';
import type { ComposedTrack } from '../../domain/playout/composed-sound.ts';
import { segmentKey } from './segment-format.ts';

/** The request for a damaged or missing segment: a segment of the item's rendition, or a join by its name. */
export type MadeFrom = { readonly format: RenditionFormat; readonly segment: number } | { readonly join: string };

/** An object with successive groups of an item, counted from the item's beginning. */
export interface SourceSegment {
  readonly key: string;
  readonly firstGroup: number;
  readonly groupCount: number;
  /** Null: it cannot be made again. */
  readonly made: MadeFrom | null;
}

/**
 * A source of some groups of an item. The timeline alone determines the sources of a playing, the best one first; the
 * last one is its base and has all groups. A variant only has the segments that differ.
 */
export interface SegmentSource {
  /** The segment with a group; null if this source lacks it. */
  segmentWith(group: number): SourceSegment | null;
  /** The first group at or after `group` that this source has; Infinity if there is none. */
  firstFrom(group: number): number;
  /** Whether the sound of its pictures is kept when levelled sound replaces that of other sources. */
  readonly keepsSound: boolean;
}

/** The look in which an item should be sent. */
export interface WantedLook {
  readonly occurrence: Pick<ItemOccurrence, 'item' | 'startFrame' | 'frameCount' | 'skippedFrames'>;
  /** The format of the stream's pictures, without framing and drawing, or of its sound. */
  readonly format: RenditionFormat;
  readonly framesPerSecond: number;
  /** See `PreparedTimeline.looks`. */
  readonly looks: ReadonlyMap<string, number> | undefined;
}

/**
 * The renditions that an item can be sent from, the best one first: in its look, else without drawings, else with black
 * bars, else any other that exists.
 * @param formats the formats of existing renditions, at least one; undefined: the one with black bars
 */
export function renditionsOf(
  contentHash: string,
  formats: readonly RenditionFormat[] | undefined,
  look: WantedLook,
): Rendition[] {
  const { occurrence, format } = look;
  const { item } = occurrence;
  const existing = new Map((formats ?? [format]).map((each) => [formatName(each), each]));
  const { framing, drawn } = item;
  const wanted = formatName(formatOfItem(format, item));
  const best = [
    ...(drawn === undefined || isKnownTo(look, contentHash, wanted) ? [wanted] : []),
    formatName(formatOfItem(format, { ...(framing && { framing }) })),
    formatName(format),
    ...[...existing.keys()].sort(),
  ];
  const found = [...new Set(best)].flatMap((name) => existing.get(name) ?? []);
  return found.map((each) => renditionOf(contentHash, item, each));
}

/** The variants for some pictures of a playing, the best one first. */
export function variantSources(contentHash: string, look: WantedLook, playing: Playing): SegmentSource[] {
  const { occurrence, format, framesPerSecond } = look;
  const { item } = occurrence;
  const seconds = (playing.startFrame - fromOrigin(occurrence).startFrame) / framesPerSecond;
  return variantsOfItem(format, item).flatMap((named) => {
    if (!isKnownTo(look, contentHash, formatName(named))) return [];
    // Each repetition of a still image has the variant entirely or not at all.
    const isOver = item.kind === 'image' && seconds >= variantPart(named.variant!, item).toSeconds;
    return isOver ? [] : [wholeRendition(renditionOf(contentHash, item, named))];
  });
}

/**
 * Whether an item is sent with all its drawings. Joins contain the drawings, so until then no joins are sent: the
 * drawings would appear in them alone.
 */
export function isSentAsDrawn(contentHash: string, look: WantedLook): boolean {
  const { occurrence, format } = look;
  const { item } = occurrence;
  const drawn = item.drawn === undefined ? [] : [formatOfItem(format, item)];
  return [...drawn, ...variantsOfItem(format, item)].every((named) => isKnownTo(look, contentHash, formatName(named)));
}

/** Whether all agents know of a rendition with a drawing when an item begins, so that all send the same bytes. */
function isKnownTo({ occurrence, framesPerSecond, looks }: WantedLook, contentHash: string, name: string): boolean {
  const fromSeconds = looks?.get(lookKey(contentHash, name)) ?? Infinity;
  return Math.round(fromSeconds * framesPerSecond) <= occurrence.startFrame;
}

/** The source with all groups of a rendition. */
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

/** The content of an item, and the renditions that it can be sent from, the best one first. */
export interface PreparedContent {
  readonly contentHash: string;
  readonly look: WantedLook;
  readonly renditions: readonly Rendition[];
}

/**
 * The sources of the groups of a playing from a group on, the best one first, and those of sound that replaces the
 * pictures' own.
 */
export function itemSources(
  track: SentTrack,
  { contentHash, look, renditions }: PreparedContent,
  { playing, group }: { readonly playing: Playing; readonly group: number },
): { readonly sources: readonly SegmentSource[]; readonly sounds: readonly SegmentSource[] } {
  const { item, startFrame } = playing.occurrence;
  const level = levelAt(item, startFrame, look.framesPerSecond);
  const levelled = level ? [wholeRendition(renditionOf(contentHash, item, soundAt(level.targetLUFS)))] : [];
  const base = renditions.map(wholeRendition);
  const joins = isSentAsDrawn(contentHash, look) ? joinSources(track, playing, group, look) : [];
  if (isSound(look.format)) return { sources: [...joins, ...levelled, ...base], sounds: [] };
  return { sources: [...joins, ...variantSources(contentHash, look, playing), ...base], sounds: levelled };
}

/** A track of a stream, with its prepared joins. */
export interface SentTrack extends ComposedTrack {
  readonly contentHashes: ReadonlyMap<string, string>;
  /** By the name of a join: the earliest time of the run at which it is sent, in seconds. Absent: no joins. */
  readonly joins?: ReadonlyMap<string, number>;
}

/**
 * The joins of a playing that all agents know of, and, from a group on, its pictures with titles of the sound track.
 * Stand-ins have none.
 */
export function joinSources(
  { joins, ...track }: SentTrack,
  playing: Playing,
  group: number,
  { format, framesPerSecond }: Pick<WantedLook, 'format' | 'framesPerSecond'>,
): SegmentSource[] {
  const { occurrence, startFrame, frameCount, skippedFrames } = playing;
  if (!joins?.size || occurrence.isStandIn) return [];
  const all = isSound(format)
    ? soundPartsAt(track, occurrence, framesPerSecond)
    : picturePartsAt(track, occurrence, format);
  const titled = isSound(format) ? null : titledPartAt(track, playing, group, format);
  const isFirst = startFrame + skippedFrames === occurrence.startFrame;
  const isLast = startFrame + frameCount === occurrence.startFrame + occurrence.frameCount;
  const here = all.filter(({ at }) => (at !== 'end' || isLast) && (at !== 'beginning' || isFirst));
  return [...here, ...(titled ? [titled] : [])]
    .filter((each) => isSentFrom(each, joins, framesPerSecond))
    .map(joinSource);
}

/** Whether all agents know of a join when it begins, so that all send it. */
export function isSentFrom(
  { name, startFrame }: Pick<PlacedPart, 'name' | 'startFrame'>,
  joins: ReadonlyMap<string, number>,
  framesPerSecond: number,
): boolean {
  return Math.round((joins.get(name) ?? Infinity) * framesPerSecond) <= startFrame;
}

/** The source of a part, which replaces some groups of the item that has it. */
export function joinSource({ name, part: { firstGroup, groupCount } }: PlacedPart): SegmentSource {
  const end = firstGroup + groupCount;
  const segment = { key: joinKey(name), firstGroup, groupCount, made: { join: name } };
  return {
    segmentWith: (group) => (group >= firstGroup && group < end ? segment : null),
    firstFrom: (group) => (group < end ? Math.max(group, firstGroup) : Infinity),
    keepsSound: true,
  };
}

/** A segment, its source, and the group up to which it is the best choice. */
export interface FoundSegment {
  readonly source: SegmentSource;
  readonly segment: SourceSegment;
  readonly end: number;
}

/** The best segment with a group. @returns null if no source has the group */
export function segmentFor(sources: readonly SegmentSource[], group: number): FoundSegment | null {
  let end = Infinity;
  for (const source of sources) {
    const segment = source.segmentWith(group);
    if (segment) return { source, segment, end: Math.min(end, segment.firstGroup + segment.groupCount) };
    end = Math.min(end, source.firstFrom(group));
  }
  return null;
}
