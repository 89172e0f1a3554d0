// Where each group of a playing is sent from: the rendition of its item, or a variant that has only what differs.
import { joinKey } from '../../domain/object-keys.ts';
import type { TimelineItem } from '../../domain/play-out.ts';
import {
  formatName,
  formatNamed,
  formatOfItem,
  groupsOfSegment,
  groupsPerSegment,
  renditionOf,
  segmentCount,
} from '../../domain/rendition.ts';
import type { Rendition, RenditionFormat } from '../../domain/rendition.ts';
import type { PlacedPictureJoin } from '../../domain/picture-joins.ts';
import type { PlacedJoin } from '../../domain/sound-joins.ts';
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

/**
 * The renditions that an item can be sent from, the best one first: in its framing, else with black bars, else in any
 * other one that is there.
 * @param formats the names of those that are there, one at least; undefined: the one with black bars
 * @param format of the stream's pictures, without framing, or of its sound
 */
export function renditionsOf(
  contentHash: string,
  formats: readonly string[] | undefined,
  item: TimelineItem,
  format: RenditionFormat,
): Rendition[] {
  const base = formatName(format);
  const there = formats ?? [base];
  const best = [formatName(formatOfItem(format, item)), base, ...there.toSorted()];
  const names = [...new Set(best)].filter((name) => there.includes(name));
  return names.map((name) => renditionOf(contentHash, item, formatNamed(name)));
}

/** All of a rendition. */
export function wholeRendition(rendition: Rendition): SegmentSource {
  const { format } = rendition;
  const segments = segmentCount(rendition);
  const segmentWith = (group: number): SourceSegment | null => {
    const segment = Math.floor(group / groupsPerSegment(format));
    if (segment >= segments) return null;
    return { key: segmentKey(rendition, segment), ...groupsOfSegment(rendition, segment), made: { format, segment } };
  };
  return { segmentWith, firstFrom: (group) => (group < rendition.groupCount ? group : Infinity), keepsSound: false };
}

/** A join, in place of some groups of the item that has it. */
export function joinSource({
  name,
  recipe: { firstGroup, groupCount },
}: PlacedJoin | PlacedPictureJoin): SegmentSource {
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
