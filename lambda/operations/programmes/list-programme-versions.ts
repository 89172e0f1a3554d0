// GET /programmes/{id}/versions: the versions that were published.
import * as z from 'zod';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';

export const versionsSchema = z
  .object({
    data: z.array(
      z
        .object({
          version: z.int32(),
          publishedAt: timestamp,
          blockCount: z.int32(),
          insertCount: z.int32(),
        })
        .meta({ id: 'ProgrammeVersion' }),
    ),
  })
  .meta({ id: 'ProgrammeVersions' });

export const listProgrammeVersions = operation(['service:read'], {
  summary: 'List the versions of a programme',
  description: 'Returns the last published versions, the latest first: up to 100, fewer if their rules are large.',
  tag: 'programmes',
  route: 'GET /programmes/{id}/versions',
  readsMuch: true,
  output: {
    status: 200,
    body: versionsSchema,
  },
  async handle(ctx, { params }) {
    const versions = orNotFound(await ctx.data.programmes.versions(ctx.caller.userID, params.id), 'programme');
    return {
      data: versions.map(
        ({ version, published_at: publishedAt, block_count: blockCount, insert_count: insertCount }) => {
          return { version, publishedAt, blockCount, insertCount };
        },
      ),
    };
  },
});
