// The object `look`, as streams and items of playlists have it. AI clients are given all of it, so it is short.
import * as z from 'zod';
import { aspects, framingModes, pictureJoinKinds, pictureJoinSeconds, usualLook } from '../domain/look.ts';
import type { Framing, ItemLook, PictureJoin, StreamLook } from '../domain/look.ts';

const framing = {
  mode: z.enum(framingModes),
  colour: z
    .string()
    .regex(/^#[\dA-Fa-f]{6}$/, { error: 'Such as #102030.' })
    .meta({ examples: ['#102030'] }),
};
const framingInput = z
  .strictObject({ mode: framing.mode.optional(), colour: framing.colour.optional().describe('Of bars: #rrggbb.') })
  .optional()
  .describe('How an item of another shape is shown: pad with bars, crop, or blur (itself behind it).');

const joinKind = z.enum(pictureJoinKinds);
const { shortest, longest, step } = pictureJoinSeconds;
const joinInput = z
  .strictObject({ kind: joinKind, seconds: z.number().min(shortest).max(longest).multipleOf(step).optional() })
  .optional()
  .describe('How pictures and their sound are followed by the next; dip: through black.');

/** What requests take of a stream. */
export const streamLookInput = z
  .strictObject({ aspect: z.enum(aspects).optional(), framing: framingInput, join: joinInput })
  .meta({ id: 'StreamLookSettings' });

/** What requests take of an item. */
export const itemLookInput = z
  .strictObject({ framing: framingInput, join: joinInput })
  .meta({ id: 'ItemLookSettings' });

const shownFraming = z.object(framing).meta({ id: 'Framing' });
const shownJoin = z.object({ kind: joinKind, seconds: z.number() });

/** What answers have of a stream. */
export const streamLook = z
  .object({ aspect: z.enum(aspects), framing: shownFraming, join: shownJoin })
  .meta({ id: 'StreamLook' });
/** What answers have of an item. */
export const itemLook = z
  .object({ framing: shownFraming.nullable(), join: shownJoin.nullable() })
  .describe("null: as its stream's.")
  .meta({ id: 'ItemLook' });

/** The settings of a request, with what it leaves out as it usually is. */
export function streamLookSettings({ aspect, framing: given, join }: z.output<typeof streamLookInput>): StreamLook {
  return { aspect: aspect ?? usualLook.aspect, framing: framingSettings(given), join: joinSettings(join) };
}

/** The settings of a request for an item: what it leaves out is as its stream's. */
export function itemLookSettings({ framing: given, join }: z.output<typeof itemLookInput>): ItemLook {
  return { ...(given && { framing: framingSettings(given) }), ...(join && { join: joinSettings(join) }) };
}

function framingSettings(given: z.output<typeof framingInput>): Framing {
  const { mode, colour } = usualLook.framing;
  return { mode: given?.mode ?? mode, colour: (given?.colour ?? colour).toLowerCase() };
}

function joinSettings(given: z.output<typeof joinInput>): PictureJoin {
  const { kind, seconds } = usualLook.join;
  return { kind: given?.kind ?? kind, seconds: given?.seconds ?? seconds };
}
