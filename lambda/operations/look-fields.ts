// The object `look`, as streams and items of playlists have it. AI clients are given all of it, so it is short.
import * as z from 'zod';
import { aspects, framingModes, usualLook } from '../domain/look.ts';
import type { Framing, ItemLook, StreamLook } from '../domain/look.ts';

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

/** What requests take of a stream. */
export const streamLookInput = z
  .strictObject({ aspect: z.enum(aspects).optional(), framing: framingInput })
  .meta({ id: 'StreamLookSettings' });

/** What requests take of an item. */
export const itemLookInput = z.strictObject({ framing: framingInput }).meta({ id: 'ItemLookSettings' });

const shownFraming = z.object(framing).meta({ id: 'Framing' });

/** What answers have. */
export const streamLook = z.object({ aspect: z.enum(aspects), framing: shownFraming }).meta({ id: 'StreamLook' });
export const itemLook = z.object({ framing: shownFraming }).meta({ id: 'ItemLook' });

/** The settings of a request, with what it leaves out as it usually is. */
export function streamLookSettings({ aspect, framing: given }: z.output<typeof streamLookInput>): StreamLook {
  return { aspect: aspect ?? usualLook.aspect, framing: framingSettings(given) };
}

export function itemLookSettings({ framing: given }: z.output<typeof itemLookInput>): ItemLook {
  return { framing: framingSettings(given) };
}

function framingSettings(given: z.output<typeof framingInput>): Framing {
  const { mode, colour } = usualLook.framing;
  return { mode: given?.mode ?? mode, colour: (given?.colour ?? colour).toLowerCase() };
}
