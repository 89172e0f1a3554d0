// GET /uploads: the caller's uploads, filtered and sorted, newest first by default.
import * as z from 'zod';
import { pageQuery, text } from '../fields.ts';
import { operation } from '../operation.ts';
import { orderOf, pageThroughSorted, sortsOf } from '../sorted-page.ts';
import { folderPath, someTags } from './upload-order.ts';
import { presentUploads, uploadPage } from './upload-schema.ts';
import { probeStates, uploadSortKeys, uploadTypes } from '../../domain/media/upload-words.ts';
import type { UploadSortKey } from '../../domain/media/upload-words.ts';

const sorts = sortsOf(uploadSortKeys);

export const listUploads = operation(['service:read'], {
  summary: 'List uploads',
  description:
    'Returns uploads that match all filters, newest first unless sort is set. An upload is one video, audio or ' +
    'image file.',
  tag: 'uploads',
  route: 'GET /uploads',
  query: {
    ...pageQuery,
    q: text(1, 255)
      .optional()
      .describe('Words, or beginnings of words, of the name and the titles. All of them must match.'),
    folder: folderPath.optional().describe('Only uploads in this folder. Empty: only uploads outside all folders.'),
    recursive: z.boolean().optional().describe('true: also uploads in folders inside folder.'),
    tag: someTags.optional().describe('Only uploads with all of these tags.'),
    type: z.enum(uploadTypes).optional(),
    probeState: z.enum(probeStates).optional(),
    hasFindings: z.boolean().optional().describe('true: only uploads with findings. false: only uploads without.'),
    sort: z.enum(sorts).default('-createdAt').describe('Field to sort by. A leading - sorts in descending order.'),
  },
  output: { status: 200, body: uploadPage },
  async handle(ctx, { query }) {
    const { q = null, folder = null, recursive = false, tag = null, type = null, probeState = null } = query;
    const { hasFindings = null } = query;
    const filter = {
      q,
      tags: tag,
      type,
      probeState,
      inFolder: recursive ? null : folder,
      // An empty folder with recursive includes all uploads.
      belowFolder: recursive ? folder || null : null,
      hasFindings,
    };
    const { data, page } = await pageThroughSorted(
      ctx,
      `uploads ${JSON.stringify({ ...filter, sort: query.sort })}`,
      query,
      (after, count) =>
        ctx.data.uploadLists.search(ctx.caller.userID, filter, orderOf<UploadSortKey>(query.sort), after, count),
    );
    return { data: await presentUploads(ctx, data), page };
  },
});
