// Locks an upload that is to be played soon, or refuses it.
import type { Track } from '../../data/playout/timelines.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { failureOfItem, isPlayable } from '../../domain/readiness/readiness.ts';
import { uploadFacts } from '../../orchestration/shared/upload-facts.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';

/**
 * Locks an upload of the caller that can be played on a track.
 * @throws {ProblemError} validation_failed at `uploadID`, with the failure of the upload
 */
export async function lockPlayable(ctx: Context, uploadID: string, track: Track): Promise<Upload> {
  const [upload] = await ctx.data.uploads.lockManyForUse([ctx.caller.userID], [uploadID]);
  if (!upload) throw fieldProblem('uploadID', 'There is no such upload.');
  const facts = uploadFacts(upload);
  if (isPlayable(facts, track)) return upload;
  const failure = failureOfItem(facts && { ...facts, failure: upload.failure }, track);
  throw fieldProblem('uploadID', failure?.detail ?? 'The upload is still being examined. Try again in a minute.');
}
