// By which names pictures are known that have something drawn over them.
import { captionsOver, hashLength, textsOver } from './drawings.ts';
import type { Drawing, DrawnItem, TextBlock, Variant } from './drawings.ts';
import type { DrawingName, Overlays, Theme, VariantPart } from './overlays.ts';
import { gopSeconds } from './rendition.ts';
import { sha256 } from '../shared/sha256.ts';

/** What is drawn otherwise by a later release has another version, so that nobody takes the one for the other. */
const drawingVersion = 1;

/** The name follows from all that is drawn: so whoever has the same drawn over the same content shares the result. */
export function drawingName(drawing: Drawing): DrawingName {
  return `o${hashOf(drawing)}`;
}

function hashOf({ logo, texts, captions }: Drawing): string {
  const parts = [
    drawingVersion,
    logo && [logo.uploadID, logo.place, logo.widthPercent, logo.opacityPercent],
    texts.map(({ place, theme, lines, fromSeconds, toSeconds }) => [
      place,
      ...partsOf(theme),
      lines,
      fromSeconds,
      toSeconds,
    ]),
    ...(captions ? [captions.hash, captions.place, ...partsOf(captions.theme)] : []),
  ];
  return sha256(JSON.stringify(parts)).slice(0, hashLength);
}

function partsOf({ style, textColour, panelColour, panelOpacityPercent }: Theme) {
  return [style, textColour, panelColour, panelOpacityPercent];
}

/**
 * The variants of an item, which have what is drawn over all of its pictures too. Texts that are not far apart are in
 * one variant, as each has whole GOPs. Captions are everywhere: with them all is in one.
 */
export function variantsOf(overlays: Overlays, item: DrawnItem): Variant[] {
  const texts = textsOver(overlays, item);
  const captions = captionsOver(overlays, item);
  if (captions) return [variantWith({ logo: overlays.logo, texts, captions })];
  const [first, next] = texts;
  const isOne = next !== undefined && next.fromSeconds - (first!.toSeconds ?? Infinity) < 2 * gopSeconds;
  const groups = isOne ? [texts] : texts.map((text) => [text]);
  return groups.map((group): Variant => {
    const drawing = { logo: overlays.logo, texts: group };
    return { name: `v${hashOf(drawing)}${partOf(group, item)}`, drawing };
  });
}

/** The pictures that have a drawing, wherever in an item they are. */
export function variantWith(drawing: Drawing): Variant {
  return { name: `v${hashOf(drawing)}a`, drawing };
}

/** The part of an item that texts are over, as names of variants say it. */
function partOf(texts: readonly TextBlock[], { durationSeconds = 0 }: DrawnItem): VariantPart {
  const [{ fromSeconds, toSeconds }] = texts as [TextBlock];
  if (texts.length > 1) return 'a';
  if (fromSeconds > 0) return `l${Math.round(durationSeconds - fromSeconds)}`;
  return toSeconds === null ? 'a' : `f${toSeconds}`;
}
