// Stores the captions file of an upload.
import type { Upload } from '../../data/media/uploads.ts';
import { sha256 } from '../../domain/shared/sha256.ts';
import type { Context } from '../context.ts';
import { takeOfHour } from '../../orchestration/shared/hourly-limits.ts';
import { assertRoom, limitProblem } from '../limits.ts';

/**
 * Stores a file, and returns the captions that it gives an upload.
 * @param count of its cues
 * @param before the captions that it replaces; null: none
 * @throws {ProblemError} limit_reached
 */
export async function storeCaptions(
  ctx: Context,
  file: string,
  count: number,
  before: Upload['captions'],
): Promise<NonNullable<Upload['captions']>> {
  const bytes = Buffer.byteLength(file);
  await assertRoom(ctx, { captionBytes: Math.max(0, bytes - (before?.bytes ?? 0)) });
  const hash = sha256(file);
  const { userID } = ctx.caller;
  const { limitFactor } = ctx.settings;
  const written = hash === before?.hash ? 0 : bytes;
  const reached = await takeOfHour(ctx.data, { userID, limitFactor, limit: 'captionBytes', count: written });
  if (reached) throw limitProblem(reached);
  await ctx.data.captions.save(hash, file);
  return { hash, count, bytes };
}
