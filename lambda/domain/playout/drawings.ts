// The graphics over the pictures of an item.
import { shownCaptions } from './captions.ts';
import type { Cue } from './captions.ts';
import { titleOfUpload } from './item-title.ts';
import type { CaptionsOverlay, Logo, OverlayPlace, Overlays, Theme, VariantName } from './overlays.ts';
import type { PlaylistMode, TimelineItem } from './play-out.ts';
import type { Titles } from './titles.ts';

/** Length of the hash in the names of drawings and variants, in characters. */
export const hashLength = 16;

/** Lines of text that are shown at the same time. */
export interface TextBlock {
  readonly place: OverlayPlace;
  readonly theme: Theme;
  /** Lines of text. The first line is the largest. */
  readonly lines: readonly string[];
  /** Start, after the item's beginning. */
  readonly fromSeconds: number;
  /** End, after the item's beginning; null: the item's end. */
  readonly toSeconds: number | null;
  /** Present for captions: all lines have one size, and may be as wide as the picture. */
  readonly isCaption?: true;
  /**
   * Present for the texts of a ticker. Null: the bar. Otherwise a line, which moves over the bar from right to left;
   * `runSeconds` is the start of the item, in seconds after the beginning of the run.
   */
  readonly ticker?: { readonly runSeconds: number } | null;
}

/** Captions over an item, with the file that contains them. */
export interface DrawnCaptions extends CaptionsOverlay {
  /** Hash of the file. */
  readonly hash: string;
  readonly theme: Theme;
}

/** A logo over pictures. */
export interface PlacedLogo extends Omit<Logo, 'uploadID'> {
  /** The upload, or the key of its object in pictures that are encoded while they are sent. */
  readonly source: string;
}

/** All facts that decide the graphics over a picture, whatever its size. */
export interface Drawing {
  readonly logo: PlacedLogo | null;
  readonly texts: readonly TextBlock[];
  /** Texts that captions may overlap; absent: none. */
  readonly running?: readonly TextBlock[];
  /** Captions, with times that count from the beginning of the pictures' file; absent: none. */
  readonly captions?: DrawnCaptions | undefined;
}

/** A variant of an item: pictures that replace some of the others. */
export interface Variant {
  readonly name: VariantName;
  readonly drawing: Drawing;
}

/** The drawing over every picture of a stream; null: nothing. */
export function wholeDrawing(overlays: Overlays | null | undefined): Drawing | null {
  return overlays?.logo ? { logo: placedLogo(overlays.logo), texts: [] } : null;
}

/** The logo of overlays over pictures. @param source its upload, unless given */
export function placedLogo(logo: Logo, source?: string): PlacedLogo;
export function placedLogo(logo: Logo | null, source?: string): PlacedLogo | null;
export function placedLogo(logo: Logo | null, source = logo?.uploadID): PlacedLogo | null {
  if (logo === null || source === undefined) return null;
  const { uploadID: _, ...shown } = logo;
  return { ...shown, source };
}

/** The name and titles of an item. */
export interface NamedItem {
  readonly name?: string | undefined;
  readonly titles?: Titles | undefined;
}

/** The facts about an item that decide its graphics, beyond the settings of its stream. */
export interface DrawnItem extends NamedItem, Partial<Pick<TimelineItem, 'kind' | 'durationSeconds'>> {
  /** The next item; null or absent: it is not known, or it is this item again. */
  readonly next?: NamedItem | null;
  /** The hash of the item's caption file; absent: it has none. */
  readonly captions?: string | undefined;
}

/** The captions over an item; undefined: none. */
export function captionsOver(
  { captions, theme }: Overlays,
  { captions: hash, kind = 'video' }: Pick<DrawnItem, 'captions' | 'kind'>,
): DrawnCaptions | undefined {
  if (!captions || hash === undefined || kind !== 'video') return undefined;
  // A bar across the pictures would appear and disappear with each caption.
  return { ...captions, hash, theme: { ...theme, style: theme.style === 'bar' ? 'panel' : theme.style } };
}

/**
 * The texts of captions during a stretch of an item. During a title at the same edge of the pictures, captions move to
 * the other edge.
 * @param told other texts over the item
 */
export function captionTexts(
  { place, theme }: DrawnCaptions,
  cues: readonly Cue[],
  told: readonly TextBlock[],
  stretch: { readonly fromSeconds: number; readonly toSeconds: number },
): TextBlock[] {
  const [fromMs, toMs] = [stretch.fromSeconds * 1000, stretch.toSeconds * 1000];
  return shownCaptions(cues, { fromMs, toMs }).map(({ lines, ...time }): TextBlock => {
    const [fromSeconds, toSeconds] = [time.fromMs / 1000, time.toMs / 1000];
    const isTaken = told.some(
      (text) =>
        text.place.startsWith(place) && text.fromSeconds < toSeconds && (text.toSeconds ?? Infinity) > fromSeconds,
    );
    const other = place === 'top' ? 'bottom' : 'top';
    return { place: isTaken ? other : place, theme, lines, fromSeconds, toSeconds, isCaption: true };
  });
}

/** The texts over a video item about itself; empty if the overlays show the titles of the audio track. */
export function textsOver(overlays: Overlays, item: DrawnItem): TextBlock[] {
  return overlays.ofSound ? [] : textsOf(overlays, item);
}

/** The title of an item and the title of the next one. If both have one place, the second replaces the first. */
export function textsOf(overlays: Overlays, item: DrawnItem): TextBlock[] {
  const [title, next] = [titleBlock(overlays, item), nextBlock(overlays, item)];
  if (!title || !next) return [title, next].filter((block) => block !== null);
  const ends = title.place === next.place ? Math.min(title.toSeconds ?? Infinity, next.fromSeconds) : title.toSeconds;
  return [{ ...title, toSeconds: ends }, next];
}

function titleBlock({ title, theme }: Overlays, item: DrawnItem): TextBlock | null {
  const lines = linesOf(item);
  if (!title || lines.length === 0) return null;
  return { place: title.place, theme, lines, fromSeconds: 0, toSeconds: title.seconds };
}

/** Null for a still image, which is one short rendition, and for an item that is hardly longer than the text. */
function nextBlock({ next: wanted, theme }: Overlays, { kind, durationSeconds = 0, next }: DrawnItem) {
  const [title, ...others] = linesOf(next ?? {});
  if (!wanted || title === undefined || kind === 'image' || durationSeconds < 2 * wanted.seconds) return null;
  const lines = [`${wanted.label}: ${title}`, ...others];
  return { place: wanted.place, theme, lines, fromSeconds: durationSeconds - wanted.seconds, toSeconds: null };
}

/** The title and the artist of an item; empty if neither is known. */
function linesOf({ name, titles }: NamedItem): string[] {
  const title = titles?.title ?? (name === undefined ? '' : titleOfUpload(name));
  return title === '' ? [] : [title, ...(titles?.artist === undefined ? [] : [titles.artist])];
}

/** The items of a playlist, each with the next item. The order of a shuffled playlist is not known. */
export function withNext<Item extends NamedItem & Pick<TimelineItem, 'itemID'>>(
  items: readonly Item[],
  mode: PlaylistMode,
): (Item & Pick<DrawnItem, 'next'>)[] {
  if (mode === 'shuffle' || items.length < 2) return [...items];
  return items.map((item, index) => ({ ...item, next: items[(index + 1) % items.length]! }));
}

/** The first or last seconds of an item, as the name of a variant has them; null: the whole item. */
function partNamed(name: VariantName): { readonly edge: 'first' | 'last'; readonly seconds: number } | null {
  const [, edge, seconds] = /^v[\da-f]{16}([fl])(\d+)$/.exec(name) ?? [];
  return edge === undefined ? null : { edge: edge === 'f' ? 'first' : 'last', seconds: Number(seconds) };
}

/** The most seconds of an item that a variant covers; null: all. */
export function variantSeconds(name: VariantName): number | null {
  return partNamed(name)?.seconds ?? null;
}

/** The part of an item that a variant covers, in seconds of the item. */
export function variantPart(
  name: VariantName,
  { durationSeconds }: Pick<TimelineItem, 'durationSeconds'>,
): { readonly fromSeconds: number; readonly toSeconds: number } {
  const part = partNamed(name);
  if (part === null) return { fromSeconds: 0, toSeconds: Infinity };
  if (part.edge === 'first') return { fromSeconds: 0, toSeconds: part.seconds };
  return { fromSeconds: Math.max(0, durationSeconds - part.seconds), toSeconds: Infinity };
}

/** The variant that replaces an item's pictures at a time; undefined: none. */
export function variantAt(
  item: Pick<TimelineItem, 'variants' | 'durationSeconds'>,
  seconds: number,
): VariantName | undefined {
  return item.variants?.find((name) => {
    const { fromSeconds, toSeconds } = variantPart(name, item);
    return seconds >= fromSeconds && seconds < toSeconds;
  });
}

/** Key of a rendition among the renditions with graphics that a run sends. @param format name of its format */
export function lookKey(contentHash: string, format: string): string {
  return `${contentHash}/${format}`;
}
