// Makes the renditions of tracks as workers would: with the drawings and at the levels of their items.
import { lookKey } from '../../../lambda/domain/playout/drawings.ts';
import type { Drawing } from '../../../lambda/domain/playout/drawings.ts';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import {
  drawingIn,
  formatName,
  formatOfItem,
  groupsOf,
  isSound,
  renditionOf,
  soundAt,
  targetOfFormat,
  variantsOfItem,
} from '../../../lambda/domain/playout/rendition.ts';
import type { RenditionFormat } from '../../../lambda/domain/playout/rendition.ts';
import { overlaysOf } from '../../../lambda/publisher/drawing/layer-overlays.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { fastEncoder } from '../../support/media-samples.ts';
import type { PartMaking } from './made-parts.ts';
import type { PreparedClips } from './prepared-clips.ts';

export interface RenditionMaking extends Omit<PartMaking, 'tools' | 'objects'> {
  readonly clips: PreparedClips;
  /** The drawings in the formats of items, by name. */
  readonly drawings: ReadonlyMap<string, Drawing>;
}

/** Prepared formats by upload, and the first sending times of renditions in seconds of the run, by `lookKey`. */
export interface MadeRenditions {
  readonly formats: Map<string, RenditionFormat[]>;
  readonly looks: Map<string, number>;
}

/** Makes the missing renditions of a track, each in one segment. @returns the keys of their objects */
export async function makeRenditions(
  entries: readonly TimelineEntry[],
  format: RenditionFormat,
  making: RenditionMaking,
  { formats, looks }: MadeRenditions,
): Promise<string[]> {
  const keys: string[] = [];
  for (const item of entries.flatMap(({ snapshot: { items } }) => items)) {
    const levelled = (item.levels ?? []).map(({ level }) => soundAt(level!.targetLUFS));
    for (const wanted of [formatOfItem(format, item), ...variantsOfItem(format, item), ...levelled]) {
      const look = lookKey(item.uploadID, formatName(wanted));
      if (looks.has(look)) continue;
      keys.push(await makeRendition(item, wanted, making));
      looks.set(look, making.fromSeconds ?? 0);
      formats.set(item.uploadID, [...(formats.get(item.uploadID) ?? []), wanted]);
    }
  }
  return keys;
}

async function makeRendition(item: TimelineItem, format: RenditionFormat, making: RenditionMaking): Promise<string> {
  const { clips, drawings, pathOf, logoPath, captions = null } = making;
  const rendition = renditionOf(item.uploadID, item, format);
  const key = segmentKey(rendition, 0);
  const isThere = await clips.objects.read(key).then(
    (stream) => !!stream.destroy(),
    () => false,
  );
  if (isThere) return key;
  const layer = { startFrame: 0, drawn: drawings.get(drawingIn(format) ?? '') ?? null };
  const files = { logoURL: async () => logoPath!, captionsOf: async () => captions };
  const { signal } = new AbortController();
  const [overlay = null] = isSound(format)
    ? []
    : await overlaysOf([layer], groupsOf(rendition), profileOf(format), files, signal);
  const level = targetOfFormat(format) === null ? null : item.levels![0]!.level;
  const more = { overlay, level, ...(level && { itemSeconds: item.durationSeconds }) };
  await clips.prepare(item, pathOf(item.uploadID), format, fastEncoder, more);
  return key;
}
