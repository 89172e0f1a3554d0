// PATCH /uploads/{id}: changes what people call an upload, what viewers are told of it, and where it is kept.
import * as z from 'zod';
import type { Upload } from '../../data/uploads.ts';
import { longestTitle, shownTitle, titleFields } from '../../domain/titles.ts';
import type { Titles } from '../../domain/titles.ts';
import type { Context } from '../context.ts';
import { id, orNotFound, pathID, text } from '../fields.ts';
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
  }),
  output: { status: 200, body: uploadSchema },
  errors: ['not_found'],
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
    });
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

async function assertImage(ctx: Context, uploadID: string): Promise<void> {
  const [upload] = await ctx.data.uploads.findMany(ctx.caller.userID, [uploadID]);
  if (upload?.probe_state === 'completed' && upload.type === 'image') return;
  const detail = upload ? 'It is no image that has been examined.' : 'There is no such upload.';
  throw new ProblemError('validation_failed', detail, {
    errors: [{ path: '/artworkUploadID', code: 'validation_failed', detail }],
  });
}
