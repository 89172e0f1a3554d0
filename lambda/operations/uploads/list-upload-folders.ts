// GET /uploads/folders: the folders in a folder.
import * as z from 'zod';
import { pageOf, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageThroughSorted } from '../sorted-page.ts';
import { folderPath } from './upload-order.ts';

const folderSchema = z
  .object({ path: z.string().describe('As list_uploads takes it.'), name: z.string().describe('The last of it.') })
  .meta({ id: 'UploadFolder' });

export const listUploadFolders = operation(['service:read'], {
  id: 'listUploadFolders',
  summary: 'List folders of uploads',
  description: 'In the order of their names. A folder is there as long as an upload is in it, or in one in it.',
  tag: 'uploads',
  method: 'GET',
  path: '/uploads/folders',
  query: { ...pageQuery, folder: folderPath.default('').describe('Only those in this one; empty: the outermost.') },
  output: { status: 200, body: pageOf(folderSchema).meta({ id: 'UploadFolderPage' }) },
  errors: ['invalid_cursor'],
  async handle(ctx, { query }) {
    const { data, page } = await pageThroughSorted(ctx, `folders in ${query.folder}`, query, (after, count) =>
      ctx.data.uploadLists.foldersIn(ctx.caller.userID, query.folder, after?.key?.toString() ?? null, count),
    );
    return { data: data.map(({ path }) => ({ path, name: path.slice(path.lastIndexOf('/') + 1) })), page };
  },
});
