// GET /uploads: the caller's uploads, newest first, or those that are looked for, in another order.
import * as z from 'zod';
import { probeStates, uploadTypes } from '../../data/media/uploads.ts';
import { uploadSortKeys } from '../../data/media/upload-lists.ts';
import type { UploadOrder, UploadSortKey } from '../../data/media/upload-lists.ts';
import { pageOf, pageQuery, text } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageThroughSorted } from '../sorted-page.ts';
import { folderPath, someTags } from './upload-order.ts';
import { presentUploads, uploadSchema } from './upload-schema.ts';

const sorts = uploadSortKeys.flatMap((key) => [key, `-${key}` as const]);

export const listUploads = operation(['service:read'], {
  id: 'listUploads',
  summary: 'List uploads',
  description:
    'Newest first, unless sort says otherwise; all filters have to fit. ' +
    'An upload is one video, audio or image file.',
  tag: 'uploads',
  method: 'GET',
  path: '/uploads',
  query: {
    ...pageQuery,
    q: text(1, 255).optional().describe('Words of the name and titles, or how they begin, all of them.'),
    folder: folderPath.optional().describe('Only uploads in this folder; empty: in none.'),
    recursive: z.boolean().optional().describe('Of folder: also uploads in the folders in it.'),
    tag: someTags.optional().describe('Only uploads with all these tags.'),
    type: z.enum(uploadTypes).optional(),
    probeState: z.enum(probeStates).optional(),
    hasFindings: z.boolean().optional().describe('Whether anything was found in them.'),
    sort: z.enum(sorts).default('-createdAt').describe('- before it for descending.'),
  },
  output: { status: 200, body: pageOf(uploadSchema).meta({ id: 'UploadPage' }) },
  errors: ['invalid_cursor'],
  async handle(ctx, { query }) {
    const { q = null, folder = null, recursive = false, tag = null, type = null, probeState = null } = query;
    const { hasFindings = null } = query;
    const filter = {
      q,
      tags: tag,
      type,
      probeState,
      inFolder: recursive ? null : folder,
      // Everything is in no folder, or somewhere in one.
      belowFolder: recursive ? folder || null : null,
      hasFindings,
    };
    const { data, page } = await pageThroughSorted(
      ctx,
      `uploads ${JSON.stringify({ ...filter, sort: query.sort })}`,
      query,
      (after, count) => ctx.data.uploadLists.search(ctx.caller.userID, filter, orderOf(query.sort), after, count),
    );
    return { data: await presentUploads(ctx, data), page };
  },
});

function orderOf(sort: (typeof sorts)[number]): UploadOrder {
  const descending = sort.startsWith('-');
  return { by: (descending ? sort.slice(1) : sort) as UploadSortKey, descending };
}
