// GET /uploads/folders: the folders inside a folder.
import * as z from 'zod';
import { pageOf, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageThroughSorted } from '../sorted-page.ts';
import { folderPath } from './upload-order.ts';

const folderSchema = z
  .object({
    path: z.string().describe('Path of the folder, for list_uploads.'),
    name: z.string().describe('Last part of the path.'),
  })
  .meta({ id: 'UploadFolder' });

export const listUploadFolders = operation(['service:read'], {
  summary: 'List folders of uploads',
  description:
    'Returns folders, sorted by name. A folder exists as long as it, or a folder inside it, contains an upload.',
  tag: 'uploads',
  route: 'GET /uploads/folders',
  query: { ...pageQuery, folder: folderPath.default('').describe('Parent folder. Empty: the top level.') },
  output: { status: 200, body: pageOf(folderSchema).meta({ id: 'UploadFolderPage' }) },
  async handle(ctx, { query }) {
    const { data, page } = await pageThroughSorted(ctx, `folders in ${query.folder}`, query, (after, count) =>
      ctx.data.uploadLists.foldersIn(ctx.caller.userID, query.folder, after?.key?.toString() ?? null, count),
    );
    return { data: data.map(({ path }) => ({ path, name: path.slice(path.lastIndexOf('/') + 1) })), page };
  },
});
