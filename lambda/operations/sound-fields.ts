// The object `sound`, as streams and items of playlists have it. AI clients are given all of it, so it is short.
import * as z from 'zod';
import { joinKinds, joinSeconds, targetsLUFS, usualSound } from '../domain/sound.ts';
import type { Join, SoundSettings } from '../domain/sound.ts';

const target = z.number().min(targetsLUFS.quietest).max(targetsLUFS.loudest).multipleOf(targetsLUFS.step);
const seconds = z.number().min(joinSeconds.shortest).max(joinSeconds.longest).multipleOf(joinSeconds.step);

/** What requests take. */
export const soundInput = z
  .strictObject({
    loudness: z.strictObject({ enabled: z.boolean().optional(), targetLUFS: target.optional() }).optional(),
    join: z
      .strictObject({ kind: z.enum(joinKinds), seconds: seconds.optional() })
      .optional()
      .describe('How an item of the audio playlist is followed by the next one.'),
  })
  .meta({ id: 'SoundSettings' });

const loudness = z.object({ enabled: z.boolean(), targetLUFS: z.number() });
const join = z.object({ kind: z.enum(joinKinds), seconds: z.number() });

/** What answers have of a stream. */
export const sound = z.object({ loudness, join }).meta({ id: 'Sound' });

/** What answers have of an item. */
export const itemSound = z
  .object({ loudness: loudness.nullable(), join: join.nullable() })
  .describe("null: as its stream's.")
  .meta({ id: 'ItemSound' });

type SoundInput = z.output<typeof soundInput>;

/** The settings of a request for a stream, with what it leaves out as it usually is. */
export function soundSettings(input: SoundInput): SoundSettings {
  return { ...usualSound, ...itemSoundSettings(input) };
}

/** The settings of a request for an item: what it leaves out is as its stream's. */
export function itemSoundSettings({ loudness: level, join: wanted }: SoundInput): Partial<SoundSettings> {
  const { enabled, targetLUFS } = usualSound.loudness;
  return {
    ...(level && { loudness: { enabled: level.enabled ?? enabled, targetLUFS: level.targetLUFS ?? targetLUFS } }),
    ...(wanted && { join: withSeconds(wanted) }),
  };
}

function withSeconds({ kind, seconds: given }: NonNullable<SoundInput['join']>): Join {
  return { kind, seconds: given ?? usualSound.join.seconds };
}
