// DELETE /uploads/{id}: removes an upload and its bytes.
import type { Upload } from '../../data/media/uploads.ts';
import { discardUpload } from '../../orchestration/media/discard-uploads.ts';
import type { Context } from '../context.ts';
import { pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

/** So many playlists and streams are named to somebody whose upload they use. */
const maxNamed = 5;

export const deleteUpload = operation(['service:write'], {
  id: 'deleteUpload',
  summary: 'Delete an upload',
  description:
    'Refused while a playlist or a live stream uses it; errors names them. An import that is under way is cancelled.',
  tag: 'uploads',
  method: 'DELETE',
  path: '/uploads/{id}',
  params: { id: pathID },
  output: { status: 204 },
  errors: ['not_found', 'resource_in_use'],
  async handle(ctx, { params }) {
    const result = await deleteUnused(ctx, params.id);
    if (result === 'deleted') return undefined;
    if (result === 'missing') throw new ProblemError('not_found', 'There is no such upload.');
    const errors = result.inUse.map((user) => ({
      path: '/path/id',
      code: 'resource_in_use',
      detail: `It is used by ${user}.`,
    }));
    throw new ProblemError('resource_in_use', inUseDetail(result.inUse), { errors });
  },
});

/** Deletes an upload of the caller, unless something uses it. Then it answers what, as that is named in a sentence. */
export async function deleteUnused(
  ctx: Context,
  uploadID: string,
): Promise<'deleted' | 'missing' | { readonly inUse: readonly string[] }> {
  const { userID } = ctx.caller;
  const found = await ctx.data.uploads.find(userID, uploadID);
  if (!found) return 'missing';
  await ctx.data.streamParts.lockUsersOf({ uploadID: found.id });
  const upload = await ctx.data.uploads.lock(userID, found.id);
  if (!upload) return 'missing';
  if (await ctx.data.uploadUses.isInUse(upload.id)) return { inUse: await usersOf(ctx, upload) };
  await ctx.data.sourceFiles.stopRetrying(upload.id);
  await discardUpload(ctx.data, upload);
  return 'deleted';
}

/** What uses an upload, a few of each kind, as they are named in a sentence. */
async function usersOf(ctx: Context, { id: uploadID }: Upload): Promise<string[]> {
  const users = await ctx.data.uploadUses.usersOf(uploadID, maxNamed);
  // A stream whose playlist has changed plays the former items until the change takes effect.
  if (users.length === 0) return ['a live stream, until what was published last takes effect'];
  return users.map(
    ({ kind, id, name }) => `${kind === 'playlist' ? 'playlist' : 'live stream'} ${id}${name ? ` (${name})` : ''}`,
  );
}

export function inUseDetail(users: readonly string[]): string {
  return `The upload is used by ${users.join(', ')}. Remove it there first.`;
}
