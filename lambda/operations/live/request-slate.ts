// The slate of a live input in requests: the upload is checked, and its preparation begins.
import type { LiveInput } from '../../data/live/live-inputs.ts';
import { prepareSlates } from '../../orchestration/live/prepare-slates.ts';
import { gopSeconds } from '../../domain/playout/rendition.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { limitProblem } from '../limits.ts';

/**
 * Checks an upload that an input is to show as its slate, and keeps it from deletion meanwhile.
 * @param uploadID null or absent: it has none, or keeps its own
 * @throws {ProblemError} if the caller has no such upload, or it cannot be shown
 */
export async function assertSlate(ctx: Context, uploadID: string | null | undefined): Promise<void> {
  if (!uploadID) return;
  const upload = await ctx.data.uploads.lock(ctx.caller.userID, uploadID);
  if (!upload) throw fieldProblem('slateUploadID', 'There is no such upload.');
  if (upload.probe_state !== 'completed')
    throw fieldProblem(
      'slateUploadID',
      'The upload is not examined yet, or cannot be read. get_upload shows its state.',
    );
  if (upload.video_codec === null || (upload.duration_seconds ?? gopSeconds) < gopSeconds)
    throw fieldProblem('slateUploadID', `Name an image, or a video of at least ${gopSeconds} seconds.`);
}

/**
 * Requests the preparation of the slate of an input.
 * @returns the input as it is then
 * @throws {ProblemError} limit_reached
 */
export async function requestSlate(ctx: Context, input: LiveInput): Promise<LiveInput> {
  const { id, user_id: userID, slate_upload_id: uploadID, format } = input;
  if (uploadID === null || format === null) return input;
  const upload = await ctx.data.uploads.find(userID, uploadID);
  if (!upload) return input;
  const slate = { user_id: userID, upload_id: uploadID, content_hash: upload.content_hash, format };
  const [reached] = await prepareSlates(ctx.data, [slate], ctx.settings.limitFactor);
  if (reached) throw limitProblem(reached);
  return (await ctx.data.liveInputs.find(userID, id)) ?? input;
}
