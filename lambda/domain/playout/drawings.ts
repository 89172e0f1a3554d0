// What is drawn over the pictures of an item.
import { shownCaptions } from './captions.ts';
import type { Cue } from './captions.ts';
import { titleOfUpload } from './item-title.ts';
import type { CaptionsOverlay, Logo, OverlayPlace, Overlays, Theme, VariantName } from './overlays.ts';
import type { PlaylistMode, TimelineItem } from './play-out.ts';
import type { Titles } from './titles.ts';

/** Of the hash in the names of drawings and variants. */
export const hashLength = 16;

/** Lines of text that are shown together. */
export interface TextBlock {
  readonly place: OverlayPlace;
  readonly theme: Theme;
  /** The first is the largest. */
  readonly lines: readonly string[];
  /** After the item's beginning. */
  readonly fromSeconds: number;
  /** Null: to the item's end. */
  readonly toSeconds: number | null;
  /** All lines are as large, and as wide as the picture has room for. */
  readonly isCaption?: true;
  /**
   * Present in what belongs to a ticker. Null: the bar itself. Else a line, which runs over it from right to left, and
   * when its item begins, in seconds after the beginning of the run.
   */
  readonly ticker?: { readonly runSeconds: number } | null;
}

/** Captions over an item, by the file that they are in. */
export interface DrawnCaptions extends CaptionsOverlay {
  /** Of the file. */
  readonly hash: string;
  readonly theme: Theme;
}

/** All that decides what is drawn over a picture, whatever its size. */
export interface Drawing {
  readonly logo: Logo | null;
  readonly texts: readonly TextBlock[];
  /** Absent: none. */
  readonly captions?: DrawnCaptions | undefined;
}

/** A variant of an item: pictures that are sent in place of some of the others. */
export interface Variant {
  readonly name: VariantName;
  readonly drawing: Drawing;
}

/** What is drawn over each picture of a stream; null: nothing. */
export function wholeDrawing(overlays: Overlays | null | undefined): Drawing | null {
  return overlays?.logo ? { logo: overlays.logo, texts: [] } : null;
}

/** What viewers are told of an item. */
export interface NamedItem {
  readonly name?: string | undefined;
  readonly titles?: Titles | undefined;
}

/** What decides what is drawn over an item besides. */
export interface DrawnItem extends NamedItem, Partial<Pick<TimelineItem, 'kind' | 'durationSeconds'>> {
  /** What follows it; null or absent: that is not known, or it follows itself. */
  readonly next?: NamedItem | null;
  /** The hash of its file of captions; absent: it has none. */
  readonly captions?: string | undefined;
}

/** The captions over an item; undefined: none. */
export function captionsOver(
  { captions, theme }: Overlays,
  { captions: hash, kind = 'video' }: Pick<DrawnItem, 'captions' | 'kind'>,
): DrawnCaptions | undefined {
  if (!captions || hash === undefined || kind !== 'video') return undefined;
  // A bar across the pictures would come and go with each caption.
  return { ...captions, hash, theme: { ...theme, style: theme.style === 'bar' ? 'panel' : theme.style } };
}

/**
 * The texts of captions during a stretch of an item. What tells of the item at the same edge of the pictures stays
 * there: the captions of that time are at the other edge.
 * @param told texts that are shown over the item besides
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

/** The texts over an item of pictures that tell of it: none where they tell of the sound track. */
export function textsOver(overlays: Overlays, item: DrawnItem): TextBlock[] {
  return overlays.ofSound ? [] : textsOf(overlays, item);
}

/** The title of an item, and what comes next. Where both have one place, they follow one another. */
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

/** Not over a still image, which is one short rendition, nor over what lasts hardly longer than the text. */
function nextBlock({ next: wanted, theme }: Overlays, { kind, durationSeconds = 0, next }: DrawnItem) {
  const [title, ...others] = linesOf(next ?? {});
  if (!wanted || title === undefined || kind === 'image' || durationSeconds < 2 * wanted.seconds) return null;
  const lines = [`${wanted.label}: ${title}`, ...others];
  return { place: wanted.place, theme, lines, fromSeconds: durationSeconds - wanted.seconds, toSeconds: null };
}

/** The title of an item and its artist; none where nothing is known of it. */
function linesOf({ name, titles }: NamedItem): string[] {
  const title = titles?.title ?? (name === undefined ? '' : titleOfUpload(name));
  return title === '' ? [] : [title, ...(titles?.artist === undefined ? [] : [titles.artist])];
}

/** The items of a playlist with what follows each: its order is known where it is not shuffled. */
export function withNext<Item extends NamedItem & Pick<TimelineItem, 'itemID'>>(
  items: readonly Item[],
  mode: PlaylistMode,
): (Item & Pick<DrawnItem, 'next'>)[] {
  if (mode === 'shuffle' || items.length < 2) return [...items];
  return items.map((item, index) => ({ ...item, next: items[(index + 1) % items.length]! }));
}

/** How many seconds of an item the pictures of a variant last at most; null: all. */
export function variantSeconds(name: VariantName): number | null {
  const [, seconds] = /^v[\da-f]{16}[fl](\d+)$/.exec(name) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

/** Which part of an item the pictures of a variant are over, in seconds of it. */
export function variantPart(
  name: VariantName,
  { durationSeconds }: Pick<TimelineItem, 'durationSeconds'>,
): { readonly fromSeconds: number; readonly toSeconds: number } {
  const seconds = variantSeconds(name);
  if (seconds === null) return { fromSeconds: 0, toSeconds: Infinity };
  if (name[1 + hashLength] === 'f') return { fromSeconds: 0, toSeconds: seconds };
  return { fromSeconds: Math.max(0, durationSeconds - seconds), toSeconds: Infinity };
}

/** The variant that an item is sent as at a time of it; undefined: none. */
export function variantAt(
  item: Pick<TimelineItem, 'variants' | 'durationSeconds'>,
  seconds: number,
): VariantName | undefined {
  return item.variants?.find((name) => {
    const { fromSeconds, toSeconds } = variantPart(name, item);
    return seconds >= fromSeconds && seconds < toSeconds;
  });
}

/** The key of a rendition among those with drawings that a run sends. @param format its name */
export function lookKey(contentHash: string, format: string): string {
  return `${contentHash}/${format}`;
}
