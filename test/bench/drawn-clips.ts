// Clips with a logo, titles and crossfades, prepared as the platform prepares them, and the cost of preparing them.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { drawingName, variantsOf } from '../../lambda/domain/playout/drawing-names.ts';
import { lookKey, wholeDrawing } from '../../lambda/domain/playout/drawings.ts';
import type { Drawing } from '../../lambda/domain/playout/drawings.ts';
import { joinKey } from '../../lambda/domain/media/object-keys.ts';
import { usualLogo, usualTheme, usualTitle } from '../../lambda/domain/playout/overlays.ts';
import type { Overlays } from '../../lambda/domain/playout/overlays.ts';
import { picturePartsAt } from '../../lambda/domain/playout/composition-parts.ts';
import { withPictureJoins } from '../../lambda/domain/playout/item-joins.ts';
import { occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import {
  formatName,
  formatOfItem,
  renditionOf,
  segmentCount,
  variantsOfItem,
} from '../../lambda/domain/playout/rendition.ts';
import type { PictureFormat } from '../../lambda/domain/playout/rendition.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { drawTogether } from '../../lambda/publisher/drawing/text-sheet.ts';
import type { EncoderSettings } from '../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import type { PictureOverlay } from '../../lambda/publisher/ffmpeg/overlays.ts';
import { profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { segmentKey } from '../../lambda/publisher/prepared/segment-format.ts';
import { preparePart } from '../../lambda/publisher/preparing/prepare-part.ts';
import { prepareSegment } from '../../lambda/publisher/preparing/prepare-segment.ts';
import { cpuSecondsOf } from './processor-time.ts';

const overlays: Overlays = { logo: { uploadID: 'logo', ...usualLogo }, title: usualTitle, theme: usualTheme };
const titles = { title: 'Night Drive – Extended Mix', artist: 'The Loops' };
const variants = variantsOf(overlays, { titles });
const whole = wholeDrawing(overlays)!;
const crossfade = { kind: 'crossfade', seconds: 1 } as const;
/** Joins of the first laps: a bench sends no others. */
const joinedOccurrences = 6;
const never = new AbortController().signal;

/** The cost of making some renditions or joins, their storage, and their number. */
export interface Made {
  readonly cpuSeconds: number;
  readonly bytes: number;
  readonly count: number;
}

export interface DrawnClips {
  readonly items: readonly TimelineItem[];
  /** Keys in the format of `lookKey`. */
  readonly looks: readonly string[];
  readonly joins: readonly string[];
  readonly made: Readonly<Record<'plain' | 'withLogo' | 'titles' | 'crossfades', Made>>;
}

interface Preparing {
  readonly tools: MediaTools;
  readonly encoder: EncoderSettings;
  readonly format: PictureFormat;
  /** Folder of objects and of the logo. */
  readonly folder: string;
}

/** @param plain the clips, prepared without overlays; the first of them is prepared again for comparison */
export async function prepareDrawnClips(preparing: Preparing, plain: readonly TimelineItem[]): Promise<DrawnClips> {
  const { tools, format, folder } = preparing;
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=640x320,format=rgba', '-frames:v', '1', logoIn(folder)];
  await promisify(execFile)(tools.ffmpegPath, ['-nostdin', '-v', 'error', ...source]);
  const look = { titles, drawn: drawingName(whole), variants: variants.map(({ name }) => name) };
  const items = withPictureJoins(
    plain.map((item) => ({ ...item, ...look })),
    crossfade,
  );
  const wholes = items.map((item) => ({ item, format: formatOfItem(format, item) }));
  const parts = items.flatMap((item) => variantsOfItem(format, item).map((part) => ({ item, format: part })));
  const { names: joins, made: crossfades } = await makeJoins(preparing, items);
  return {
    items,
    looks: [...wholes, ...parts].map((each) => lookKey(each.item.uploadID, formatName(each.format))),
    joins,
    made: {
      plain: await makeRenditions(preparing, [{ item: plain[0]!, format }]),
      withLogo: await makeRenditions(preparing, wholes),
      titles: await makeRenditions(preparing, parts),
      crossfades,
    },
  };
}

async function makeRenditions(
  { tools, encoder, folder }: Preparing,
  wanted: readonly { readonly item: TimelineItem; readonly format: PictureFormat }[],
): Promise<Made> {
  let bytes = 0;
  const cpuSeconds = await cpuSecondsOf(async () => {
    for (const { item, format } of wanted) {
      const rendition = renditionOf(item.uploadID, item, format);
      const [overlay = null] = await overlaysOf([format], folder);
      for (let segment = 0; segment < segmentCount(rendition); segment++) {
        const source = { sourceURL: item.objectKey, kind: 'video', hasAudio: true } as const;
        const made = await prepareSegment(tools, { rendition, segment, ...source, overlay, encoder }, never);
        bytes += await keep(folder, segmentKey(rendition, segment), made);
      }
    }
  });
  return { cpuSeconds, bytes, count: wanted.length };
}

async function makeJoins({ tools, encoder, format, folder }: Preparing, items: readonly TimelineItem[]) {
  const snapshot = { mode: 'sequential', seed: 1, items, overlays: { ...overlays, logoKey: 'logo' } };
  const entries = [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot }];
  const track = {
    entries: entries as never,
    contentHashes: new Map(items.map((item) => [item.uploadID, item.uploadID])),
  };
  const urlOf = (uploadID: string) => items.find((item) => item.uploadID === uploadID)!.objectKey;
  const occurrences = occurrencesFrom(track.entries, 0, profileOf(format).framesPerSecond).take(joinedOccurrences);
  const placed = occurrences.toArray().flatMap((occurrence) => picturePartsAt(track, occurrence, format));
  const parts = new Map(placed.map(({ name, part }) => [name, part]));
  const drawings = { logoURL: async () => logoIn(folder), captionsOf: async () => null };
  let bytes = 0;
  const cpuSeconds = await cpuSecondsOf(async () => {
    for (const [name, part] of parts)
      bytes += await keep(folder, joinKey(name), await preparePart(tools, { part, urlOf, encoder, drawings }, never));
  });
  return { names: [...parts.keys()], made: { cpuSeconds, bytes, count: parts.size } };
}

/** Overlays for formats of one size. */
async function overlaysOf(formats: readonly PictureFormat[], folder: string): Promise<(PictureOverlay | null)[]> {
  const drawings = formats.map(({ drawn, variant }): Drawing | null => {
    if (variant === undefined) return drawn === undefined ? null : whole;
    return variants.find(({ name }) => name === variant)!.drawing;
  });
  const sheets = await drawTogether(
    drawings.map((drawing) => drawing?.texts ?? []),
    profileOf(formats[0]!),
    never,
  );
  const logo = { ...usualLogo, sourceURL: logoIn(folder) };
  return drawings.map((drawing, index) => drawing && { logo, sheet: sheets[index]! });
}

function logoIn(folder: string): string {
  return join(folder, 'logo.png');
}

/** @returns the size of the object in bytes */
async function keep(folder: string, key: string, bytes: Buffer): Promise<number> {
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'bench' });
  await objects.write(key, bytes, { contentType: 'application/octet-stream' });
  return bytes.length;
}
