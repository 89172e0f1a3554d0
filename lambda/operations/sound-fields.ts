// The object `sound`, as streams and items of playlists have it. AI clients are given all of it, so it is short.
import * as z from 'zod';
import { targetsLUFS, usualSound } from '../domain/sound.ts';
import type { SoundSettings } from '../domain/sound.ts';

const target = z.number().min(targetsLUFS.quietest).max(targetsLUFS.loudest).multipleOf(targetsLUFS.step);

/** What requests take. */
export const soundInput = z
  .strictObject({
    loudness: z.strictObject({ enabled: z.boolean().optional(), targetLUFS: target.optional() }).optional(),
  })
  .meta({ id: 'SoundSettings' });

/** What answers have. */
export const sound = z
  .object({ loudness: z.object({ enabled: z.boolean(), targetLUFS: z.number() }) })
  .meta({ id: 'Sound' });

/** The settings of a request, with what it leaves out as it usually is. */
export function soundSettings({ loudness }: z.output<typeof soundInput>): SoundSettings {
  const { enabled, targetLUFS } = usualSound.loudness;
  return { loudness: { enabled: loudness?.enabled ?? enabled, targetLUFS: loudness?.targetLUFS ?? targetLUFS } };
}
