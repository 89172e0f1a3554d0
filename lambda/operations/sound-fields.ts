// The object `sound` of streams and of playlist items: one table for each object in it.
import * as z from 'zod';
import { joinKinds, joinSeconds, targetsLUFS, underGains, usualSound } from '../domain/playout/sound.ts';
import type { SoundSettings } from '../domain/playout/sound.ts';
import { options } from './option-fields.ts';

const loudness = options(
  {
    enabled: { input: z.boolean().optional(), shown: z.boolean() },
    targetLUFS: {
      input: z.number().min(targetsLUFS.quietest).max(targetsLUFS.loudest).multipleOf(targetsLUFS.step).optional(),
      shown: z.number(),
    },
  },
  usualSound.loudness,
);

const joinKind = z.enum(joinKinds);
const join = options(
  {
    kind: { input: joinKind, shown: joinKind },
    seconds: {
      input: z.number().min(joinSeconds.shortest).max(joinSeconds.longest).multipleOf(joinSeconds.step).optional(),
      shown: z.number(),
    },
  },
  usualSound.join,
);

const under = options(
  {
    enabled: { input: z.boolean().optional(), shown: z.boolean() },
    gainDB: {
      input: z
        .number()
        .min(underGains.lowest)
        .max(underGains.highest)
        .multipleOf(underGains.step)
        .meta({ examples: [-12] })
        .optional(),
      shown: z.number(),
    },
    duck: { input: z.boolean().optional(), shown: z.boolean() },
  },
  // A request that names `under` wants to hear it.
  { ...usualSound.under, enabled: true },
);

const inputs = {
  loudness: loudness.input.optional(),
  join: join.input
    .optional()
    .describe('Transition from an item of the audio playlist to the next one. seconds is the length of each fade.'),
  under: under.input
    .optional()
    .describe(
      'Sound of the videos, mixed under the audio playlist or audio upload. gainDB: its level relative to the ' +
        'audio. duck: lower it further while the audio contains speech.',
    ),
};

const ofStream = options(
  {
    loudness: { ...loudness, input: inputs.loudness, shown: loudness.shown },
    join: { ...join, input: inputs.join, shown: join.shown },
    under: { ...under, input: inputs.under, shown: under.shown },
  },
  usualSound,
);

const ofItem = options(
  {
    loudness: { ...loudness, input: inputs.loudness, shown: loudness.shown.nullable() },
    join: { ...join, input: inputs.join, shown: join.shown.nullable() },
    under: { ...under, input: inputs.under, shown: under.shown.nullable() },
  },
  { loudness: null, join: null, under: null },
);

/** The sound of a stream or a playlist item in requests. */
export const soundInput = ofStream.input.meta({ id: 'SoundSettings' });

/** The sound of a stream in answers. */
export const sound = ofStream.shown.meta({ id: 'Sound' });

/** The sound of a playlist item in answers. */
export const itemSound = ofItem.shown
  .describe("Sound of this item. A field that is null follows the stream's sound.")
  .meta({ id: 'ItemSound' });

type SoundInput = z.output<typeof soundInput>;

/** The settings of a request for a stream. Absent fields get their default. */
export const soundSettings: (input: SoundInput) => SoundSettings = ofStream.filled;

/** The settings of a request for a playlist item. Absent fields follow the stream. */
export const itemSoundSettings: (input: SoundInput) => Partial<SoundSettings> = ofStream.given;

/**
 * Presents the sound of a stream.
 * @param settings null: the default sound
 */
export function presentSound(settings: SoundSettings | null): z.output<typeof sound> {
  return ofStream.filled(settings ?? {});
}

/** Presents the sound of a playlist item. */
export const presentItemSound: (settings: Partial<SoundSettings>) => z.output<typeof itemSound> = ofItem.filled;
