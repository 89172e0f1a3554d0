// The object `look`, as streams and items of playlists have it. AI clients are given all of it, so it is short.
import * as z from 'zod';
import { drawingName } from '../domain/playout/drawing-names.ts';
import { wholeDrawing } from '../domain/playout/drawings.ts';
import { aspects, framingModes, pictureJoinKinds, pictureJoinSeconds, usualLook } from '../domain/playout/look.ts';
import type { Framing, ItemLook, PictureJoin, StreamLook } from '../domain/playout/look.ts';
import {
  overlayBounds,
  captionPlaces,
  overlayPlaces,
  themeStyles,
  clockKinds,
  usualCaptions,
  usualClock,
  usualLogo,
  usualNext,
  usualTheme,
  usualTicker,
  usualTitle,
} from '../domain/playout/overlays.ts';
import type { Overlays } from '../domain/playout/overlays.ts';
import { stingerCutSeconds, usualStingerCutSeconds } from '../domain/playout/stinger.ts';
import { isLanguage, isTimeZone } from '../domain/shared/time-zone.ts';
import { id, text } from './fields.ts';

const colour = z
  .string()
  .regex(/^#[\dA-Fa-f]{6}$/, { error: 'Such as #102030.' })
  .meta({ examples: ['#102030'] });
const framingMode = z.enum(framingModes);
const framingInput = z
  .strictObject({ mode: framingMode.optional(), colour: colour.optional().describe('Of bars: #rrggbb.') })
  .optional()
  .describe('Of another shape: pad with bars, crop, or blur (itself behind).');

const joinKind = z.enum(pictureJoinKinds);
const { shortest, longest, step } = pictureJoinSeconds;
const joinInput = z
  .strictObject({ kind: joinKind, seconds: z.number().min(shortest).max(longest).multipleOf(step).optional() })
  .optional()
  .describe("How the next one follows; dip: through black; stinger: the stream's.");
const stingerInput = z
  .strictObject({
    uploadID: id.describe('A video; items show through.'),
    cutSeconds: z
      .number()
      .min(stingerCutSeconds.shortest)
      .max(stingerCutSeconds.longest)
      .default(usualStingerCutSeconds)
      .describe('When it covers all; it may last 2 s more.'),
  })
  .nullish()
  .describe('For such joins.');

const place = z.enum(overlayPlaces).meta({ id: 'OverlayPlace' });
const themeStyle = z.enum(themeStyles);
const logoInput = z.strictObject({
  uploadID: id.describe('An image.'),
  place: place.default(usualLogo.place),
  widthPercent: within(overlayBounds.widthPercent).default(usualLogo.widthPercent).describe("Of the picture's."),
  opacityPercent: within(overlayBounds.opacityPercent).default(usualLogo.opacityPercent),
});
const titleInput = z.strictObject({
  place: place.default(usualTitle.place),
  seconds: within(overlayBounds.titleSeconds)
    .nullable()
    .default(usualTitle.seconds)
    .describe('null: to its end, or 60 s of a song over a prepared video.'),
});
const nextInput = z.strictObject({
  place: place.default(usualNext.place),
  seconds: within(overlayBounds.nextSeconds).default(usualNext.seconds).describe('Before its end.'),
  label: z.string().trim().min(overlayBounds.labelLength[0]).max(overlayBounds.labelLength[1]).default(usualNext.label),
});
const captionsInput = z.strictObject({ place: z.enum(captionPlaces).default(usualCaptions.place) });
const clockInput = z.strictObject({
  place: place.default(usualClock.place),
  timeZone: text(1, 64)
    .refine(isTimeZone, { error: 'An IANA name, such as Europe/Berlin.' })
    .default(usualClock.timeZone),
  shows: z.enum(clockKinds).default(usualClock.shows),
  language: text(2, 35).refine(isLanguage, { error: 'Such as en-GB.' }).default(usualClock.language),
});
const tickerInput = z.strictObject({
  place: z.enum(captionPlaces).default(usualTicker.place),
  lines: z
    .array(z.string().trim().min(overlayBounds.tickerLineLength[0]).max(overlayBounds.tickerLineLength[1]))
    .min(overlayBounds.tickerLines[0])
    .max(overlayBounds.tickerLines[1]),
});
const themeInput = z.strictObject({
  style: themeStyle.default(usualTheme.style),
  textColour: colour.default(usualTheme.textColour),
  panelColour: colour.default(usualTheme.panelColour),
  panelOpacityPercent: within(overlayBounds.panelOpacityPercent).default(usualTheme.panelOpacityPercent),
});
const overlaysInput = z
  .strictObject({
    logo: logoInput.nullish(),
    title: titleInput.nullish().describe('Title and artist of each item, or of the sound track.'),
    next: nextInput.nullish().describe('Title of what follows; prepared, not of shuffled videos.'),
    captions: captionsInput.nullish().describe('Of uploads that have some.'),
    clock: clockInput.nullish().describe('ffmpeg alone; to the minute.'),
    ticker: tickerInput.nullish().describe('ffmpeg alone.'),
    theme: themeInput.optional(),
  })
  .nullish()
  .describe('Over all pictures, in the safe area.');

/** What requests take of a stream. */
export const streamLookInput = z
  .strictObject({
    aspect: z.enum(aspects).optional(),
    framing: framingInput,
    join: joinInput,
    stinger: stingerInput,
    overlays: overlaysInput,
  })
  .meta({ id: 'StreamLookSettings' });

/** What requests take of an item. */
export const itemLookInput = z
  .strictObject({ framing: framingInput, join: joinInput })
  .meta({ id: 'ItemLookSettings' });

/** Answers have no bounds: what is kept is within those of requests. */
const shownColour = z.string().meta({ examples: ['#102030'] });
const shownFraming = z.object({ mode: framingMode, colour: shownColour }).meta({ id: 'Framing' });
const shownJoin = z.object({ kind: joinKind, seconds: z.number() });
const shownStinger = z.object({ uploadID: id, cutSeconds: z.number() }).meta({ id: 'Stinger' });
const shownOverlays = z
  .object({
    logo: z
      .object({ uploadID: id, place, widthPercent: z.int32(), opacityPercent: z.int32() })
      .meta({ id: 'LogoOverlay' })
      .nullable(),
    title: z.object({ place, seconds: z.int32().nullable() }).meta({ id: 'TitleOverlay' }).nullable(),
    next: z.object({ place, seconds: z.int32(), label: z.string() }).meta({ id: 'NextOverlay' }).nullable(),
    captions: z
      .object({ place: z.enum(captionPlaces) })
      .meta({ id: 'CaptionsOverlay' })
      .nullable(),
    clock: z
      .object({ place, timeZone: z.string(), shows: z.enum(clockKinds), language: z.string() })
      .meta({ id: 'ClockOverlay' })
      .nullable(),
    ticker: z
      .object({ place: z.enum(captionPlaces), lines: z.array(z.string()) })
      .meta({ id: 'TickerOverlay' })
      .nullable(),
    theme: z
      .object({
        style: themeStyle,
        textColour: shownColour,
        panelColour: shownColour,
        panelOpacityPercent: z.int32(),
      })
      .meta({ id: 'OverlayTheme' }),
  })
  .meta({ id: 'Overlays' });

/** What answers have of a stream. */
export const streamLook = z
  .object({
    aspect: z.enum(aspects),
    framing: shownFraming,
    join: shownJoin,
    stinger: shownStinger.nullable(),
    overlays: shownOverlays.nullable(),
  })
  .meta({ id: 'StreamLook' });
/** What answers have of an item. */
export const itemLook = z
  .object({ framing: shownFraming.nullable(), join: shownJoin.nullable() })
  .describe("null: as its stream's.")
  .meta({ id: 'ItemLook' });

/** The settings of a request, with what it leaves out as it usually is. */
export function streamLookSettings(look: z.output<typeof streamLookInput>): StreamLook {
  const { aspect = usualLook.aspect, framing, join } = look;
  const { stinger } = look;
  const settings = {
    aspect,
    framing: framingSettings(framing),
    join: joinSettings(join),
    ...(stinger && { stinger }),
  };
  const overlays = look.overlays && overlaySettings(look.overlays);
  if (!overlays || isNothing(overlays)) return settings;
  const drawing = wholeDrawing(overlays);
  return { ...settings, overlays, ...(drawing && { drawn: drawingName(drawing) }) };
}

/** The settings of a request for an item: what it leaves out is as its stream's. */
export function itemLookSettings({ framing: given, join }: z.output<typeof itemLookInput>): ItemLook {
  return { ...(given && { framing: framingSettings(given) }), ...(join && { join: joinSettings(join) }) };
}

/** What an answer has of the settings of a stream. @param look null: as it usually is */
export function presentLook(look: StreamLook | null): z.output<typeof streamLook> {
  const { aspect, framing, join, stinger = null, overlays } = { ...usualLook, ...look };
  if (!overlays) return { aspect, framing, join, stinger, overlays: null };
  const { next = null, captions = null, clock = null, ticker: kept } = overlays;
  const ticker = kept ? { ...kept, lines: [...kept.lines] } : null;
  return { aspect, framing, join, stinger, overlays: { ...overlays, next, captions, clock, ticker } };
}

/** What draws nothing is not kept. */
function isNothing(overlays: Overlays): boolean {
  const { theme: _, ...drawn } = overlays;
  return Object.values(drawn).every((each) => each === null);
}

function within([least, most]: readonly [number, number]) {
  return z.int().min(least).max(most);
}

function framingSettings(given: z.output<typeof framingInput>): Framing {
  const { mode, colour: usualColour } = usualLook.framing;
  return { mode: given?.mode ?? mode, colour: (given?.colour ?? usualColour).toLowerCase() };
}

function joinSettings(given: z.output<typeof joinInput>): PictureJoin {
  const { kind, seconds } = usualLook.join;
  return { kind: given?.kind ?? kind, seconds: given?.seconds ?? seconds };
}

function overlaySettings(given: NonNullable<z.output<typeof overlaysInput>>): Overlays {
  const { logo = null, title = null, next = null, captions, clock, ticker, theme = usualTheme } = given;
  const [textColour, panelColour] = [theme.textColour.toLowerCase(), theme.panelColour.toLowerCase()];
  const others = { ...(captions && { captions }), ...(clock && { clock }), ...(ticker && { ticker }) };
  return { logo, title, next, ...others, theme: { ...theme, textColour, panelColour } };
}
