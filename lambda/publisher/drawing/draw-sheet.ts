// Draws texts of any script on one sheet, with the fonts of npm packages.
import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import type { SKRSContext2D } from '@napi-rs/canvas';
import { aspectOfSize } from '../../domain/playout/look.ts';
import { safeMargins } from '../../domain/playout/safe-margins.ts';
import type { OverlayPlace } from '../../domain/playout/overlays.ts';
import { fontFilesFor } from './fonts.ts';
import { fittedLines, isRightToLeft } from './lines.ts';
import { besideTicker } from './text-sheet.ts';
import type { DrawingRequest, PlacedText } from './text-sheet.ts';

/** Sizes as shares of the shorter side of a picture. */
const shares = {
  first: 0.046,
  others: 0.034,
  caption: 0.046,
  ticker: 0.034,
  padding: 0.022,
  gap: 0.012,
  shadow: 0.006,
  corner: 0.008,
} as const;
/** A text in a corner of a wide picture leaves the other corner free. */
const widestShare = 0.62;
const weights = { first: 600, others: 450, caption: 550, ticker: 500 } as const;
/** Most lines into which one line of a text is broken. */
const mostLines = { first: 2, others: 1, caption: 2, ticker: 1 } as const;
/** Some machines cannot draw wider pictures. */
const widestPixels = 8192;
type LineKind = keyof typeof mostLines;

interface Line {
  readonly text: string;
  readonly font: string;
  readonly weight: number;
  readonly height: number;
  readonly width: number;
}

/** A text that is measured, and drawn when the sheet has its place. */
interface MeasuredText {
  readonly width: number;
  readonly height: number;
  /** Place in the picture. */
  readonly x: number;
  readonly y: number;
  readonly text: DrawingRequest['texts'][number];
  /** Draws it from the origin of a context. */
  readonly draw: (context: SKRSContext2D) => void;
}

/** @returns a PNG with all texts, and the place of each */
export function drawSheet(request: DrawingRequest): { readonly png: Buffer; readonly texts: PlacedText[] } {
  registerFonts(request.texts.flatMap(({ lines }) => lines));
  const measured = aboveTickers(request.texts.map((text) => ({ ...measureText(request, text), text })));
  const { places, width: sheetWidth, height: sheetHeight } = placesOnSheet(measured);
  const sheet = createCanvas(sheetWidth, sheetHeight);
  const context = sheet.getContext('2d');
  const texts = measured.map(({ x, y, width, height, draw }, index) => {
    const { left, top } = places[index]!;
    context.save();
    context.translate(left, top);
    // A shadow may reach beyond its text.
    context.beginPath();
    context.rect(0, 0, width, height);
    context.clip();
    draw(context);
    context.restore();
    return { x, y, width, height, left, top };
  });
  return { png: sheet.toBuffer('image/png'), texts };
}

/** Places texts in rows, the highest first, so that the sheet has few pixels that no text needs. */
function placesOnSheet(texts: readonly Pick<MeasuredText, 'width' | 'height'>[]) {
  const sheetWidth = Math.max(...texts.map(({ width }) => width));
  const places: { left: number; top: number }[] = [];
  let row = { top: 0, width: 0, height: 0 };
  const highestFirst = texts.map((text, index) => ({ ...text, index })).sort((a, b) => b.height - a.height);
  for (const { width, height, index } of highestFirst) {
    if (row.width + width > sheetWidth) row = { top: row.top + row.height, width: 0, height: 0 };
    places[index] = { left: row.width, top: row.top };
    row = { top: row.top, width: row.width + width, height: Math.max(row.height, height) };
  }
  return { places, width: sheetWidth, height: row.top + row.height };
}

/** Moves other texts at the edge of a ticker next to its bar. */
function aboveTickers<Drawn extends Omit<MeasuredText, 'draw'>>(drawn: readonly Drawn[]): Drawn[] {
  const edgeOf = ({ text: { place } }: Drawn) => (place.startsWith('top') ? 'top' : 'bottom');
  const heights = new Map(
    drawn.flatMap((each) => (each.text.ticker === null ? [[edgeOf(each), even(each.height * besideTicker)]] : [])),
  );
  return drawn.map((each) => {
    if (each.text.ticker !== undefined) return each;
    const height = heights.get(edgeOf(each)) ?? 0;
    return { ...each, y: each.y + (edgeOf(each) === 'top' ? height : -height) };
  });
}

/** Registers the fonts of each text's language. */
function registerFonts(texts: readonly string[]): void {
  const files = texts.flatMap(fontFilesFor);
  for (const [family, path] of new Map(files.map((file) => [file.family, file.path])))
    GlobalFonts.registerFromPath(path, family);
}

function measureText(
  { width, height }: DrawingRequest,
  { place, theme, lines, isCaption, ticker }: DrawingRequest['texts'][number],
) {
  const side = Math.min(width, height);
  const margins = safeMargins[aspectOfSize({ width, height })];
  const inner = (width * (100 - margins.left - margins.right)) / 100;
  const isBar = theme.style === 'bar';
  const padding = even(side * shares.padding);
  const measuring = createCanvas(1, 1).getContext('2d');
  const room = isBar || isCaption || width <= height ? inner : inner * widestShare;
  const widest = (ticker ? widestPixels : room) - 2 * padding;
  const isTicker = ticker !== undefined;
  const kindOf = (index: number): LineKind =>
    isCaption ? 'caption' : isTicker ? 'ticker' : index === 0 ? 'first' : 'others';
  const fitted = lines.flatMap((line, index) => linesOf(measuring, line, { kind: kindOf(index), side, widest }));
  const gap = Math.round(side * shares.gap);
  const textWidth = Math.ceil(Math.max(0, ...fitted.map((line) => line.width)));
  const bareHeight = heightOf(Math.round(side * shares.ticker));
  const textHeight = lines.length === 0 ? bareHeight : fitted.reduce((sum, line) => sum + line.height + gap, -gap);
  const box = { width: isBar ? width : even(textWidth + 2 * padding), height: even(textHeight + 2 * padding) };
  const left = isBar ? (width * margins.left) / 100 : padding;
  const edges = { left, right: isBar ? (width * (100 - margins.right)) / 100 : box.width - padding };
  const draw = (context: SKRSContext2D) => {
    if (theme.style === 'plain') addShadow(context, theme, side);
    else drawPanel(context, theme, { ...box, radius: isBar ? 0 : side * shares.corner });
    context.fillStyle = theme.textColour;
    context.textBaseline = 'middle';
    let y = padding;
    for (const line of fitted) {
      drawLine(context, line, y, place, edges);
      y += line.height + gap;
    }
  };
  return { ...box, ...placeOf(place, { width, height }, box, isBar), draw };
}

type Theme = DrawingRequest['texts'][number]['theme'];

/** The panel behind a text. */
function drawPanel(
  context: SKRSContext2D,
  theme: Theme,
  { width, height, radius }: { readonly width: number; readonly height: number; readonly radius: number },
): void {
  context.globalAlpha = theme.panelOpacityPercent / 100;
  context.fillStyle = theme.panelColour;
  context.beginPath();
  context.roundRect(0, 0, width, height, radius);
  context.fill();
  context.globalAlpha = 1;
}

/** The shadow of a text without a panel. @param side the shorter side of the picture */
function addShadow(context: SKRSContext2D, theme: Theme, side: number): void {
  context.shadowColor = theme.panelColour;
  context.shadowBlur = side * shares.shadow;
  context.shadowOffsetY = side * (shares.shadow / 3);
}

function linesOf(
  context: SKRSContext2D,
  text: string,
  { kind, side, widest }: { readonly kind: LineKind; readonly side: number; readonly widest: number },
): Line[] {
  const size = Math.round(side * shares[kind]);
  const families = fontFilesFor(text).map(({ family }) => `"${family}"`);
  const font = `${size}px ${families.join(', ')}`;
  const weight = weights[kind];
  setFont(context, { font, weight });
  const widthOf = (part: string) => context.measureText(part).width;
  return fittedLines(text, { widthOf, widest, most: mostLines[kind] }).map((each) => ({
    text: each,
    font,
    weight,
    height: heightOf(size),
    width: widthOf(each),
  }));
}

/** Height of a line with letters of a size. */
function heightOf(size: number): number {
  return Math.round(size * 1.25);
}

/** Sets a font and its weight. A fallback font ignores the weight in the shorthand, so it is set as a variation. */
function setFont(context: SKRSContext2D, { font, weight }: Pick<Line, 'font' | 'weight'>): void {
  context.font = font;
  context.fontVariationSettings = `'wght' ${weight}`;
}

function drawLine(
  context: SKRSContext2D,
  line: Line,
  y: number,
  place: OverlayPlace,
  { left, right }: { readonly left: number; readonly right: number },
): void {
  const { text, height } = line;
  setFont(context, line);
  context.direction = isRightToLeft(text) ? 'rtl' : 'ltr';
  const centre = place === 'top' || place === 'bottom';
  const isRight = place.endsWith('Right') || isRightToLeft(text);
  context.textAlign = centre ? 'center' : isRight ? 'right' : 'left';
  const x = centre ? (left + right) / 2 : isRight ? right : left;
  context.fillText(text, x, y + height / 2);
}

function placeOf(
  place: OverlayPlace,
  { width, height }: { readonly width: number; readonly height: number },
  box: { readonly width: number; readonly height: number },
  isBar: boolean,
) {
  const { left, right, top, bottom } = safeMargins[aspectOfSize({ width, height })];
  const atLeft = even((width * left) / 100);
  const atRight = even(width - (width * right) / 100 - box.width);
  const centred = place === 'top' || place === 'bottom' ? even((width - box.width) / 2) : atRight;
  return {
    x: isBar ? 0 : place.endsWith('Left') ? atLeft : centred,
    y: even(place.startsWith('top') ? (height * top) / 100 : height - (height * bottom) / 100 - box.height),
  };
}

/** Rounds to an even number, as 2 × 2 pixels share one colour in pictures. */
function even(length: number): number {
  return 2 * Math.round(length / 2);
}
