// The object `sound`, as streams and items of playlists have it. AI clients are given all of it, so it is short.
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

/** What requests take. */
export const soundInput = z
  .strictObject({
    loudness: z.strictObject({ enabled: z.boolean().optional(), targetLUFS: target.optional() }).optional(),
    join: z
      .strictObject({ kind: z.enum(joinKinds), seconds: seconds.optional() })
      .optional()
      .describe('How an item of the audio playlist is followed by the next one.'),
    under: z
      .strictObject({ enabled: z.boolean().optional(), gainDB: gain.optional(), duck: z.boolean().optional() })
      .optional()
      .describe("A video's own sound under the audio, lower under speech."),
  })
  .meta({ id: 'SoundSettings' });

const loudness = z.object({ enabled: z.boolean(), targetLUFS: z.number() });
const join = z.object({ kind: z.enum(joinKinds), seconds: z.number() });

const under = z.object({ enabled: z.boolean(), gainDB: z.number(), duck: z.boolean() });

/** What answers have of a stream. */
export const sound = z.object({ loudness, join, under }).meta({ id: 'Sound' });

/** What answers have of an item. */
export const itemSound = z
  .object({ loudness: loudness.nullable(), join: join.nullable(), under: under.nullable() })
  .describe("null: as its stream's.")
  .meta({ id: 'ItemSound' });

type SoundInput = z.output<typeof soundInput>;

/** The settings of a request for a stream, with what it leaves out as it usually is. */
export function soundSettings(input: SoundInput): SoundSettings {
  return { ...usualSound, ...itemSoundSettings(input) };
}

/** The settings of a request for an item: what it leaves out is as its stream's. */
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
