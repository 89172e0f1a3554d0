// The object `look` of streams and of playlist items: one table for each object in it.
import * as z from 'zod';
import { drawingName } from '../domain/playout/drawing-names.ts';
import { wholeDrawing } from '../domain/playout/drawings.ts';
import { aspects, framingModes, pictureJoinKinds, pictureJoinSeconds, usualLook } from '../domain/playout/look.ts';
import type { ItemLook, StreamLook } from '../domain/playout/look.ts';
import type { Overlays } from '../domain/playout/overlays.ts';
import { stingerCutSeconds, usualStingerCutSeconds } from '../domain/playout/stinger.ts';
import { id } from './fields.ts';
import { options } from './option-fields.ts';
import { colour, overlays, shownColour } from './overlay-fields.ts';

const framingMode = z.enum(framingModes);
const framing = options(
  {
    mode: { input: framingMode.optional(), shown: framingMode },
    colour: {
      input: colour.optional().describe('Colour of the bars in mode pad, as #rrggbb.'),
      shown: shownColour,
    },
  },
  usualLook.framing,
);

const joinKind = z.enum(pictureJoinKinds);
const { shortest, longest, step } = pictureJoinSeconds;
const join = options(
  {
    kind: { input: joinKind, shown: joinKind },
    seconds: { input: z.number().min(shortest).max(longest).multipleOf(step).optional(), shown: z.number() },
  },
  usualLook.join,
);

const stinger = options(
  {
    uploadID: {
      input: id.describe('ID of the video upload. The item shows through transparent parts of the video.'),
      shown: id,
    },
    cutSeconds: {
      input: z
        .number()
        .min(stingerCutSeconds.shortest)
        .max(stingerCutSeconds.longest)
        .default(usualStingerCutSeconds)
        .describe(
          'Seconds from the start of the stinger to the cut: the moment at which it covers the whole picture. The ' +
            'video may last at most 2 seconds after the cut.',
        ),
      shown: z.number(),
    },
  },
  { cutSeconds: usualStingerCutSeconds },
);

const framingInput = framing.input
  .optional()
  .describe(
    'Fit for items of another aspect ratio. pad: bars around the picture. crop: the picture fills the frame, and ' +
      'its edges are cut off. blur: the picture over a blurred copy of itself.',
  );
const joinInput = join.input
  .optional()
  .describe(
    'Transition to the next item. cut: none. dip: fade through black. crossfade: blend the two pictures. stinger: ' +
      "play the stream's stinger over the cut. seconds is the length of each fade; cuts and stingers ignore it.",
  );
const shownFraming = framing.shown.meta({ id: 'Framing' });

const ofStream = options(
  {
    aspect: { input: z.enum(aspects).optional(), shown: z.enum(aspects) },
    framing: { ...framing, input: framingInput, shown: shownFraming },
    join: { ...join, input: joinInput, shown: join.shown },
    stinger: {
      ...stinger,
      input: stinger.input
        .nullish()
        .describe(
          'Video that joins of kind stinger play over the cut between two items. Without a stinger, these joins are ' +
            'cuts.',
        ),
      shown: stinger.shown.meta({ id: 'Stinger' }).nullable(),
    },
    overlays: {
      ...overlays,
      input: overlays.input.nullish().describe('Graphics drawn over every item, inside the title-safe area.'),
      shown: overlays.shown.meta({ id: 'Overlays' }).nullable(),
    },
  },
  { ...usualLook, stinger: null, overlays: null },
);

const ofItem = options(
  {
    framing: { ...framing, input: framingInput, shown: shownFraming.nullable() },
    join: { ...join, input: joinInput, shown: join.shown.nullable() },
  },
  { framing: null, join: null },
);

/** The look of a stream in requests. */
export const streamLookInput = ofStream.input.meta({ id: 'StreamLookSettings' });

/** The look of a playlist item in requests. */
export const itemLookInput = ofItem.input.meta({ id: 'ItemLookSettings' });

/** The look of a stream in answers. */
export const streamLook = ofStream.shown.meta({ id: 'StreamLook' });

/** The look of a playlist item in answers. */
export const itemLook = ofItem.shown
  .describe("Look of this item. A field that is null follows the stream's look.")
  .meta({ id: 'ItemLook' });

/** The settings of a request for a stream. Absent fields get their default. */
export function streamLookSettings(given: z.output<typeof streamLookInput>): StreamLook {
  const { stinger: played, overlays: drawn, ...look } = ofStream.filled(given);
  const settings = { ...look, ...(played && { stinger: played }) };
  if (!drawn || isNothing(drawn)) return settings;
  const drawing = wholeDrawing(drawn);
  return { ...settings, overlays: drawn, ...(drawing && { drawn: drawingName(drawing) }) };
}

/** The settings of a request for a playlist item. Absent fields follow the stream. */
export const itemLookSettings: (look: z.output<typeof itemLookInput>) => ItemLook = ofStream.given;

/**
 * Presents the look of a stream.
 * @param look null: the default look
 */
export function presentLook(look: StreamLook | null): z.output<typeof streamLook> {
  return ofStream.filled(look ?? {});
}

/** Presents the look of a playlist item. */
export const presentItemLook: (look: ItemLook) => z.output<typeof itemLook> = ofItem.filled;

/** Whether the overlays draw nothing, so that they need not be stored. */
function isNothing(overlays: Overlays): boolean {
  const { theme: _, ...drawn } = overlays;
  return Object.values(drawn).every((each) => each === null);
}
