// The object `sound` of streams and of playlist items.
import * as z from 'zod';
import { joinKinds, joinSeconds, targetsLUFS, underGains, usualSound } from '../domain/playout/sound.ts';
import type { Join, SoundSettings, SoundUnder } from '../domain/playout/sound.ts';

const target = z.number().min(targetsLUFS.quietest).max(targetsLUFS.loudest).multipleOf(targetsLUFS.step);
const seconds = z.number().min(joinSeconds.shortest).max(joinSeconds.longest).multipleOf(joinSeconds.step);

const { lowest, highest, step } = underGains;
const gain = z
  .number()
  .min(lowest)
  .max(highest)
  .multipleOf(step)
  .meta({ examples: [-12] });

/** The sound of a stream or a playlist item in requests. */
export const soundInput = z
  .strictObject({
    loudness: z.strictObject({ enabled: z.boolean().optional(), targetLUFS: target.optional() }).optional(),
    join: z
      .strictObject({ kind: z.enum(joinKinds), seconds: seconds.optional() })
      .optional()
      .describe('Transition from an item of the audio playlist to the next one. seconds is the length of each fade.'),
    under: z
      .strictObject({ enabled: z.boolean().optional(), gainDB: gain.optional(), duck: z.boolean().optional() })
      .optional()
      .describe(
        'Sound of the videos, mixed under the audio playlist or audio upload. gainDB: its level relative to the ' +
          'audio. duck: lower it further while the audio contains speech.',
      ),
  })
  .meta({ id: 'SoundSettings' });

const loudness = z.object({ enabled: z.boolean(), targetLUFS: z.number() });
const join = z.object({ kind: z.enum(joinKinds), seconds: z.number() });

const under = z.object({ enabled: z.boolean(), gainDB: z.number(), duck: z.boolean() });

/** The sound of a stream in answers. */
export const sound = z.object({ loudness, join, under }).meta({ id: 'Sound' });

/** The sound of a playlist item in answers. */
export const itemSound = z
  .object({ loudness: loudness.nullable(), join: join.nullable(), under: under.nullable() })
  .describe("Sound of this item. A field that is null follows the stream's sound.")
  .meta({ id: 'ItemSound' });

type SoundInput = z.output<typeof soundInput>;

/** The settings of a request for a stream. Absent fields get their default. */
export function soundSettings(input: SoundInput): SoundSettings {
  return { ...usualSound, ...itemSoundSettings(input) };
}

/**
 * Presents the sound of a stream.
 * @param settings null: the default sound
 */
export function presentSound(settings: SoundSettings | null): z.input<typeof sound> {
  return { ...usualSound, ...settings };
}

/** The settings of a request for a playlist item. Absent fields follow the stream. */
export function itemSoundSettings({
  loudness: level,
  join: wanted,
  under: beneath,
}: SoundInput): Partial<SoundSettings> {
  const { enabled, targetLUFS } = usualSound.loudness;
  return {
    ...(level && { loudness: { enabled: level.enabled ?? enabled, targetLUFS: level.targetLUFS ?? targetLUFS } }),
    ...(wanted && { join: withSeconds(wanted) }),
    ...(beneath && { under: withUsual(beneath) }),
  };
}

function withSeconds({ kind, seconds: given }: NonNullable<SoundInput['join']>): Join {
  return { kind, seconds: given ?? usualSound.join.seconds };
}

function withUsual({ enabled = true, gainDB, duck }: NonNullable<SoundInput['under']>): SoundUnder {
  const { under: usual } = usualSound;
  return { enabled, gainDB: gainDB ?? usual.gainDB, duck: duck ?? usual.duck };
}
