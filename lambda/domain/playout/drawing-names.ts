// The names of pictures with graphics.
import { captionsOver, placedLogo, hashLength, textsOver } from './drawings.ts';
import type { Drawing, DrawnItem, TextBlock, Variant } from './drawings.ts';
import type { DrawingName, Overlays, Theme, VariantPart } from './overlays.ts';
import { gopSeconds } from './rendition.ts';
import { sha256 } from '../shared/sha256.ts';

/** The version of all drawings. Increment when the rendering of a drawing changes. */
const drawingVersion = 1;

/** A hash of all graphics, so all streams with equal graphics over a content share the result. */
export function drawingName(drawing: Drawing): DrawingName {
  return `o${hashOf(drawing)}`;
}

function hashOf({ logo, texts, captions }: Drawing): string {
  const parts = [
    drawingVersion,
    logo && [logo.source, logo.place, logo.widthPercent, logo.opacityPercent],
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
 * The variants of an item. Each also has the graphics that cover the whole item. Texts that are close to each other are
 * in one variant, because each variant has whole GOPs. An item with captions has one variant, as captions are
 * everywhere.
 */
export function variantsOf(overlays: Overlays, item: DrawnItem): Variant[] {
  const texts = textsOver(overlays, item);
  const captions = captionsOver(overlays, item);
  const logo = placedLogo(overlays.logo);
  if (captions) return [variantWith({ logo, texts, captions })];
  const [first, next] = texts;
  const isOne = next !== undefined && next.fromSeconds - (first!.toSeconds ?? Infinity) < 2 * gopSeconds;
  const groups = isOne ? [texts] : texts.map((text) => [text]);
  return groups.map((group): Variant => {
    const drawing = { logo, texts: group };
    return { name: `v${hashOf(drawing)}${partOf(group, item)}`, drawing };
  });
}

/** A variant with a drawing, over any part of an item. */
export function variantWith(drawing: Drawing): Variant {
  return { name: `v${hashOf(drawing)}a`, drawing };
}

/** The part of an item that the texts cover, as the end of a variant's name. */
function partOf(texts: readonly TextBlock[], { durationSeconds = 0 }: DrawnItem): VariantPart {
  const [{ fromSeconds, toSeconds }] = texts as [TextBlock];
  if (texts.length > 1) return 'a';
  if (fromSeconds > 0) return `l${Math.round(durationSeconds - fromSeconds)}`;
  return toSeconds === null ? 'a' : `f${toSeconds}`;
}
