// PATCH /uploads/{id}: changes what people call an upload, what viewers are told of it, and where it is kept.
import * as z from 'zod';
import type { Upload } from '../../data/media/uploads.ts';
import { captionBounds, CaptionsError, parseCaptions } from '../../domain/playout/captions.ts';
import { sha256 } from '../../domain/shared/sha256.ts';
import { longestTitle, shownTitle, titleFields } from '../../domain/playout/titles.ts';
import type { Titles } from '../../domain/playout/titles.ts';
import { keepPrepared } from '../../orchestration/playout/keep-prepared.ts';
import { applyCaptions } from '../../orchestration/playout/apply-look.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { id, orNotFound, pathID, text } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { arrangeUpload, distinctTags, folderPath, tags, uploadName } from './upload-order.ts';
import { presentUpload, uploadSchema } from './upload-schema.ts';

const title = text(0, longestTitle).nullable();
const titles = {
  title: title.optional().describe('For viewers. Empty: none. null: as the file says.'),
  artist: title.optional().describe('As title.'),
  album: title.optional().describe('As title.'),
};

export const updateUpload = operation(['service:write'], {
  id: 'updateUpload',
  summary: 'Update an upload',
  description:
    'Renames it, moves it to a folder, gives it other tags, or says what viewers are told of it. An absent field ' +
    'stays as it is.',
  tag: 'uploads',
  method: 'PATCH',
  path: '/uploads/{id}',
  params: { id: pathID },
  body: z.strictObject({
    name: uploadName.optional(),
    folder: folderPath.optional(),
    tags: tags.optional(),
    ...titles,
    artworkUploadID: id.nullable().optional().describe('An image of yours. null: as in the file.'),
    captions: text(0, captionBounds.bytes)
      .nullable()
      .optional()
      .describe('Of a video: the text of an SRT or WebVTT file, for look.overlays.captions. null: none.'),
  }),
  output: { status: 200, body: uploadSchema },
  errors: ['not_found', 'limit_reached'],
  async handle(ctx, { params, body }) {
    const before = orNotFound(await ctx.data.uploads.lock(ctx.caller.userID, params.id), 'upload');
    const { name, folder, artworkUploadID } = body;
    if (artworkUploadID) await assertImage(ctx, artworkUploadID);
    const arranged = await arrangeUpload(ctx, before, {
      name,
      folder,
      tags: body.tags && distinctTags(body.tags),
      given_titles: givenTitles(before, body),
      artwork_upload_id: artworkUploadID,
      captions: await captionsOf(ctx, before, body.captions),
    });
    if (arranged.captions?.hash !== before.captions?.hash) await showCaptions(ctx, params.id);
    return presentUpload(ctx, arranged);
  },
});

function givenTitles(
  { given_titles: before }: Upload,
  said: { readonly [Field in keyof Titles]?: string | null | undefined },
): Titles {
  const after = titleFields.flatMap((field) => {
    const text = said[field] === undefined ? before[field] : said[field];
    return text === null || text === undefined ? [] : [[field, shownTitle(text) ?? '']];
  });
  return Object.fromEntries(after);
}

/** What an upload says of its captions from now on: nothing where nothing is said. */
async function captionsOf(
  ctx: Context,
  { type, captions: before }: Upload,
  file: string | null | undefined,
): Promise<Upload['captions'] | undefined> {
  if (file === undefined || file === null) return file;
  if (type !== 'video') throw fieldProblem('captions', 'Only videos have captions: this upload is none.');
  const count = countCues(file);
  const bytes = Buffer.byteLength(file);
  await assertRoom(ctx, { captionBytes: Math.max(0, bytes - (before?.bytes ?? 0)) });
  const hash = sha256(file);
  await ctx.data.captions.save(hash, file);
  return { hash, count, bytes };
}

/** @throws {ProblemError} validation_failed, with the line that cannot be read */
function countCues(file: string): number {
  try {
    return parseCaptions(file).length;
  } catch (error) {
    throw error instanceof CaptionsError ? fieldProblem('captions', error.message) : error;
  }
}

/** Has the upload prepared with its captions, and lets streams that show it draw them. */
async function showCaptions({ data, settings: { limitFactor } }: Context, uploadID: string): Promise<void> {
  await keepPrepared(data, 'upload', uploadID, { retries: 'at once', limitFactor });
  await applyCaptions(data, uploadID, limitFactor);
}

async function assertImage(ctx: Context, uploadID: string): Promise<void> {
  const [upload] = await ctx.data.uploads.lockManyForUse(ctx.caller.userID, [uploadID]);
  if (upload?.probe_state === 'completed' && upload.type === 'image') return;
  const detail = upload ? 'It is no image that has been examined.' : 'There is no such upload.';
  throw new ProblemError('validation_failed', detail, {
    errors: [{ path: '/artworkUploadID', code: 'validation_failed', detail }],
  });
}
