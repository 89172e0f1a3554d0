// POST /uploads/{id}/clips: makes an upload of a part of another upload.
import * as z from 'zod';
import type { Upload } from '../../data/media/uploads.ts';
import { faultOfClip, shortestClipSeconds } from '../../domain/media/clips.ts';
import type { ClipTimes } from '../../domain/media/clips.ts';
import { partOfCaptions } from '../../domain/playout/captions.ts';
import { lockToClip, makeClip } from '../../orchestration/media/make-clip.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { orNotFound } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { storeCaptions } from './store-captions.ts';
import { distinctTags, folderPath, tags, uploadName } from './upload-order.ts';
import { presentUpload, uploadSchema } from './upload-schema.ts';

/** No upload is longer. */
const mostSeconds = 1e6;

export const createClip = operation(['service:write'], {
  summary: 'Make a clip',
  description:
    'Makes a new upload of a part of a video or audio upload, from one time to another, exact to the frame. It plays ' +
    'as any upload, needs no second file and no storage, and leaves the whole upload as it is, also on air. While it ' +
    'exists, the whole upload cannot be deleted. Next: play it in playlists, collections or programmes.',
  tag: 'uploads',
  route: 'POST /uploads/{id}/clips',
  body: z.strictObject({
    fromSeconds: z.number().min(0).max(mostSeconds).default(0).describe('Time at which the clip begins.'),
    untilSeconds: z
      .number()
      .min(0)
      .max(mostSeconds)
      .optional()
      .describe(`Time at which the clip ends, at least ${shortestClipSeconds} second later. Absent: the end.`),
    name: uploadName.optional().describe('Name for people. Absent: that of the upload.'),
    folder: folderPath.optional().describe('Folder. Absent: that of the upload.'),
    tags: tags.optional().describe('Tags. Absent: those of the upload.'),
  }),
  output: { status: 201, body: uploadSchema, location: (upload) => `/uploads/${upload.id}` },
  errors: ['upload_incomplete', 'limit_reached'],
  async handle(ctx, { params, body }) {
    const { userID } = ctx.caller;
    const whole = assertExamined(orNotFound(await lockToClip(ctx.data, userID, params.id), 'upload'));
    if (whole.duration_seconds === null)
      throw fieldProblem('untilSeconds', 'An image has no times: showSeconds of update_upload is its length.');
    const { fromSeconds, untilSeconds = whole.duration_seconds } = body;
    const times = { fromSeconds, untilSeconds };
    const fault = faultOfClip(times, whole.duration_seconds);
    if (fault !== null) throw fieldProblem('untilSeconds', fault);
    await assertRoom(ctx, { uploads: 1 });
    const captions = await captionsOf(ctx, whole, times);
    const id = ctx.newID('upl');
    await makeClip(ctx.data, whole, {
      id,
      times,
      name: body.name ?? whole.name,
      folder: body.folder ?? whole.folder,
      tags: body.tags ? distinctTags(body.tags) : whole.tags,
      captions,
    });
    return presentUpload(ctx, (await ctx.data.uploads.find(userID, id))!);
  },
});

/** @throws {ProblemError} upload_incomplete */
function assertExamined(upload: Upload): Upload {
  const { probe_state: state } = upload;
  if (state === 'completed') return upload;
  const detail =
    state === 'failed'
      ? 'This upload cannot be used, so no clip can be made of it. failure says why.'
      : 'This upload is still being examined. Poll get_upload until probeState is completed, then try again.';
  throw new ProblemError('upload_incomplete', detail);
}

/** The captions of the part; null: it has none. */
async function captionsOf(
  ctx: Context,
  { captions: whole }: Upload,
  { fromSeconds, untilSeconds }: ClipTimes,
): Promise<Upload['captions']> {
  const file = whole && (await ctx.data.captions.file(whole.hash));
  if (!file) return null;
  const part = partOfCaptions(file, { fromMs: fromSeconds * 1000, toMs: untilSeconds * 1000 });
  return part && storeCaptions(ctx, part.file, part.count, null);
}
