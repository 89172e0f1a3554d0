// The objects of `look.overlays`: one table for each graphic over the pictures of a stream.
import * as z from 'zod';
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
import { isLanguage, isTimeZone } from '../domain/shared/time-zone.ts';
import { id, text } from './fields.ts';
import { options } from './option-fields.ts';

/** A colour in requests. It is stored in small letters. */
export const colour = z
  .string()
  .regex(/^#[\dA-Fa-f]{6}$/, { error: 'Use a colour in the form #rrggbb, such as #102030.' })
  .toLowerCase()
  .meta({ examples: ['#102030'] });
/** A colour in answers. */
export const shownColour = z.string().meta({ examples: ['#102030'] });
const place = z.enum(overlayPlaces).meta({ id: 'OverlayPlace' });
const captionPlace = z.enum(captionPlaces);

const logo = options(
  {
    uploadID: { input: id.describe('ID of the image upload.'), shown: id },
    place: { input: place.default(usualLogo.place), shown: place },
    widthPercent: {
      input: within(overlayBounds.widthPercent)
        .default(usualLogo.widthPercent)
        .describe("Width of the logo, in percent of the picture's width."),
      shown: z.int32(),
    },
    opacityPercent: {
      input: within(overlayBounds.opacityPercent).default(usualLogo.opacityPercent),
      shown: z.int32(),
    },
  },
  usualLogo,
);

const title = options(
  {
    place: { input: place.default(usualTitle.place), shown: place },
    seconds: {
      input: within(overlayBounds.titleSeconds)
        .nullable()
        .default(usualTitle.seconds)
        .describe(
          'Seconds from the start of the item for which its title is shown. null: until the item ends; for a song ' +
            'over a prepared video, its first 60 seconds.',
        ),
      shown: z.int32().nullable(),
    },
  },
  usualTitle,
);

const next = options(
  {
    place: { input: place.default(usualNext.place), shown: place },
    seconds: {
      input: within(overlayBounds.nextSeconds)
        .default(usualNext.seconds)
        .describe('Number of seconds at the end of an item during which the next title is shown.'),
      shown: z.int32(),
    },
    label: { input: trimmed(overlayBounds.labelLength).default(usualNext.label), shown: z.string() },
  },
  usualNext,
);

const captions = options(
  { place: { input: captionPlace.default(usualCaptions.place), shown: captionPlace } },
  usualCaptions,
);

const clockKind = z.enum(clockKinds);
const clock = options(
  {
    place: { input: place.default(usualClock.place), shown: place },
    timeZone: {
      input: text(1, 64)
        .refine(isTimeZone, { error: 'Use an IANA time zone name, such as Europe/Berlin.' })
        .default(usualClock.timeZone),
      shown: z.string(),
    },
    shows: { input: clockKind.default(usualClock.shows), shown: clockKind },
    language: {
      input: text(2, 35)
        .refine(isLanguage, { error: 'Use a BCP 47 language tag, such as en-GB.' })
        .default(usualClock.language),
      shown: z.string(),
    },
  },
  usualClock,
);

const [fewestLines, mostLines] = overlayBounds.tickerLines;
const ticker = options(
  {
    place: { input: captionPlace.default(usualTicker.place), shown: captionPlace },
    lines: {
      input: z.array(trimmed(overlayBounds.tickerLineLength)).min(fewestLines).max(mostLines),
      shown: z.array(z.string()),
    },
  },
  usualTicker,
);

const themeStyle = z.enum(themeStyles);
const theme = options(
  {
    style: { input: themeStyle.default(usualTheme.style), shown: themeStyle },
    textColour: { input: colour.default(usualTheme.textColour), shown: shownColour },
    panelColour: { input: colour.default(usualTheme.panelColour), shown: shownColour },
    panelOpacityPercent: {
      input: within(overlayBounds.panelOpacityPercent).default(usualTheme.panelOpacityPercent),
      shown: z.int32(),
    },
  },
  usualTheme,
);

export const overlays = options(
  {
    logo: { ...logo, input: logo.input.nullish(), shown: logo.shown.meta({ id: 'LogoOverlay' }).nullable() },
    title: {
      ...title,
      input: title.input
        .nullish()
        .describe('Title and artist of each item, or of the song when the stream plays an audio playlist.'),
      shown: title.shown.meta({ id: 'TitleOverlay' }).nullable(),
    },
    next: {
      ...next,
      input: next.input
        .nullish()
        .describe(
          'Title of the next item. Prepared streams (streamBackend manifest) do not show it for shuffled video ' +
            'playlists.',
        ),
      shown: next.shown.meta({ id: 'NextOverlay' }).nullable(),
    },
    captions: {
      ...captions,
      input: captions.input.nullish().describe('Captions of the items whose uploads have captions.'),
      shown: captions.shown.meta({ id: 'CaptionsOverlay' }).nullable(),
    },
    clock: {
      ...clock,
      input: clock.input.nullish().describe('Clock that shows hours and minutes. Only for streamBackend ffmpeg.'),
      shown: clock.shown.meta({ id: 'ClockOverlay' }).nullable(),
    },
    ticker: {
      ...ticker,
      input: ticker.input
        .nullish()
        .describe('Lines of text that scroll across the picture one after the other. Only for streamBackend ffmpeg.'),
      shown: ticker.shown.meta({ id: 'TickerOverlay' }).nullable(),
    },
    theme: { ...theme, input: theme.input.optional(), shown: theme.shown.meta({ id: 'OverlayTheme' }) },
  },
  { logo: null, title: null, next: null, captions: null, clock: null, ticker: null, theme: usualTheme },
);

function within([least, most]: readonly [number, number]) {
  return z.int().min(least).max(most);
}

function trimmed([shortestLength, longestLength]: readonly [number, number]) {
  return z.string().trim().min(shortestLength).max(longestLength);
}
