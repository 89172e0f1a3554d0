// GET /collections/{id}/uploads: the uploads of a collection, in its order.
import { orNotFound, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageThroughSorted } from '../sorted-page.ts';
import { presentUploads, uploadPage } from '../uploads/upload-schema.ts';

export const listCollectionUploads = operation(['service:read'], {
  summary: 'List the uploads of a collection',
  description:
    'Returns the uploads that are in the collection now, in its order. Those of shuffle have a fixed order here. ' +
    'Streams play only uploads whose probeState is completed.',
  tag: 'collections',
  route: 'GET /collections/{id}/uploads',
  query: pageQuery,
  output: { status: 200, body: uploadPage },
  async handle(ctx, { params, query }) {
    const { userID } = ctx.caller;
    const { id } = orNotFound(await ctx.data.collections.find(userID, params.id), 'collection');
    const { data, page } = await pageThroughSorted(ctx, `uploads of ${id}`, query, (after, count) =>
      ctx.data.collections.page(userID, id, after, count),
    );
    const found =
      data.length === 0
        ? []
        : await ctx.data.uploads.ofUser(
            userID,
            data.map((row) => row.id),
          );
    const byID = new Map(found.map((upload) => [upload.id, upload]));
    const uploads = data.flatMap((row) => byID.get(row.id) ?? []);
    return { data: await presentUploads(ctx, uploads), page };
  },
});
