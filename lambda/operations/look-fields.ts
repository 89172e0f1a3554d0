// The object `look` of streams and of playlist items.
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
  .regex(/^#[\dA-Fa-f]{6}$/, { error: 'Use a colour in the form #rrggbb, such as #102030.' })
  .meta({ examples: ['#102030'] });
const framingMode = z.enum(framingModes);
const framingInput = z
  .strictObject({
    mode: framingMode.optional(),
    colour: colour.optional().describe('Colour of the bars in mode pad, as #rrggbb.'),
  })
  .optional()
  .describe(
    'Fit for items of another aspect ratio. pad: bars around the picture. crop: the picture fills the frame, and ' +
      'its edges are cut off. blur: the picture over a blurred copy of itself.',
  );

const joinKind = z.enum(pictureJoinKinds);
const { shortest, longest, step } = pictureJoinSeconds;
const joinInput = z
  .strictObject({ kind: joinKind, seconds: z.number().min(shortest).max(longest).multipleOf(step).optional() })
  .optional()
  .describe(
    'Transition to the next item. cut: none. dip: fade through black. crossfade: blend the two pictures. stinger: ' +
      "play the stream's stinger over the cut. seconds is the length of each fade; cuts and stingers ignore it.",
  );
const stingerInput = z
  .strictObject({
    uploadID: id.describe('ID of the video upload. The item shows through transparent parts of the video.'),
    cutSeconds: z
      .number()
      .min(stingerCutSeconds.shortest)
      .max(stingerCutSeconds.longest)
      .default(usualStingerCutSeconds)
      .describe(
        'Seconds from the start of the stinger to the cut: the moment at which it covers the whole picture. The ' +
          'video may last at most 2 seconds after the cut.',
      ),
  })
  .nullish()
  .describe(
    'Video that joins of kind stinger play over the cut between two items. Without a stinger, these joins are cuts.',
  );

const place = z.enum(overlayPlaces).meta({ id: 'OverlayPlace' });
const themeStyle = z.enum(themeStyles);
const logoInput = z.strictObject({
  uploadID: id.describe('ID of the image upload.'),
  place: place.default(usualLogo.place),
  widthPercent: within(overlayBounds.widthPercent)
    .default(usualLogo.widthPercent)
    .describe("Width of the logo, in percent of the picture's width."),
  opacityPercent: within(overlayBounds.opacityPercent).default(usualLogo.opacityPercent),
});
const titleInput = z.strictObject({
  place: place.default(usualTitle.place),
  seconds: within(overlayBounds.titleSeconds)
    .nullable()
    .default(usualTitle.seconds)
    .describe(
      'Seconds from the start of the item for which its title is shown. null: until the item ends; for a song ' +
        'over a prepared video, its first 60 seconds.',
    ),
});
const nextInput = z.strictObject({
  place: place.default(usualNext.place),
  seconds: within(overlayBounds.nextSeconds)
    .default(usualNext.seconds)
    .describe('Number of seconds at the end of an item during which the next title is shown.'),
  label: z.string().trim().min(overlayBounds.labelLength[0]).max(overlayBounds.labelLength[1]).default(usualNext.label),
});
const captionsInput = z.strictObject({ place: z.enum(captionPlaces).default(usualCaptions.place) });
const clockInput = z.strictObject({
  place: place.default(usualClock.place),
  timeZone: text(1, 64)
    .refine(isTimeZone, { error: 'Use an IANA time zone name, such as Europe/Berlin.' })
    .default(usualClock.timeZone),
  shows: z.enum(clockKinds).default(usualClock.shows),
  language: text(2, 35)
    .refine(isLanguage, { error: 'Use a BCP 47 language tag, such as en-GB.' })
    .default(usualClock.language),
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
    title: titleInput
      .nullish()
      .describe('Title and artist of each item, or of the song when the stream plays an audio playlist.'),
    next: nextInput
      .nullish()
      .describe(
        'Title of the next item. Prepared streams (streamBackend manifest) do not show it for shuffled video ' +
          'playlists.',
      ),
    captions: captionsInput.nullish().describe('Captions of the items whose uploads have captions.'),
    clock: clockInput.nullish().describe('Clock that shows hours and minutes. Only for streamBackend ffmpeg.'),
    ticker: tickerInput
      .nullish()
      .describe('Lines of text that scroll across the picture one after the other. Only for streamBackend ffmpeg.'),
    theme: themeInput.optional(),
  })
  .nullish()
  .describe('Graphics drawn over every item, inside the title-safe area.');

/** The look of a stream in requests. */
export const streamLookInput = z
  .strictObject({
    aspect: z.enum(aspects).optional(),
    framing: framingInput,
    join: joinInput,
    stinger: stingerInput,
    overlays: overlaysInput,
  })
  .meta({ id: 'StreamLookSettings' });

/** The look of a playlist item in requests. */
export const itemLookInput = z
  .strictObject({ framing: framingInput, join: joinInput })
  .meta({ id: 'ItemLookSettings' });

/** Answers declare no bounds: stored values are within the bounds of requests. */
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

/** The look of a stream in answers. */
export const streamLook = z
  .object({
    aspect: z.enum(aspects),
    framing: shownFraming,
    join: shownJoin,
    stinger: shownStinger.nullable(),
    overlays: shownOverlays.nullable(),
  })
  .meta({ id: 'StreamLook' });
/** The look of a playlist item in answers. */
export const itemLook = z
  .object({ framing: shownFraming.nullable(), join: shownJoin.nullable() })
  .describe("Look of this item. A field that is null follows the stream's look.")
  .meta({ id: 'ItemLook' });

/** The settings of a request for a stream. Absent fields get their default. */
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

/** The settings of a request for a playlist item. Absent fields follow the stream. */
export function itemLookSettings({ framing: given, join }: z.output<typeof itemLookInput>): ItemLook {
  return { ...(given && { framing: framingSettings(given) }), ...(join && { join: joinSettings(join) }) };
}

/**
 * Presents the look of a stream.
 * @param look null: the default look
 */
export function presentLook(look: StreamLook | null): z.output<typeof streamLook> {
  const { aspect, framing, join, stinger = null, overlays } = { ...usualLook, ...look };
  if (!overlays) return { aspect, framing, join, stinger, overlays: null };
  const { next = null, captions = null, clock = null, ticker: kept } = overlays;
  const ticker = kept ? { ...kept, lines: [...kept.lines] } : null;
  return { aspect, framing, join, stinger, overlays: { ...overlays, next, captions, clock, ticker } };
}

/** Whether the overlays draw nothing, so that they need not be stored. */
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
