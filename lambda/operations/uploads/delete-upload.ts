// DELETE /uploads/{id}: deletes an upload and its file.
import type { Upload } from '../../data/media/uploads.ts';
import { discardUpload } from '../../orchestration/media/discard-uploads.ts';
import { playsSoon } from '../../orchestration/playout/plays-soon.ts';
import type { Context } from '../context.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

/** The most users of an upload of each kind that an error names. */
const maxNamed = 5;

const kindWords = {
  playlist: 'playlist',
  stream: 'live stream',
  managedSettings: 'the thumbnail of managed settings',
  clip: 'clip',
  liveInput: 'the slate of live input',
} as const;

export const deleteUpload = operation(['service:write'], {
  summary: 'Delete an upload',
  description:
    'Deletes an upload and its file. Refused while a playlist, a live stream, managed settings or clips use it; ' +
    'errors names them. A running import is cancelled.',
  tag: 'uploads',
  route: 'DELETE /uploads/{id}',
  output: { status: 204 },
  errors: ['resource_in_use'],
  async handle(ctx, { params }) {
    const result = await deleteUnused(ctx, params.id);
    if (result === 'deleted') return;
    if (result === 'missing') throw new ProblemError('not_found', 'This upload does not exist.');
    const errors = result.inUse.map((user) => ({
      path: '/path/id',
      code: 'resource_in_use',
      detail: `The upload is used by ${user}.`,
    }));
    throw new ProblemError('resource_in_use', inUseDetail(result.inUse), { errors });
  },
});

/**
 * Deletes an upload of the caller, unless a playlist, a stream, managed settings or clips use it.
 * @returns for an upload in use, its users as a sentence names them
 */
export async function deleteUnused(
  ctx: Context,
  uploadID: string,
): Promise<'deleted' | 'missing' | { readonly inUse: readonly string[] }> {
  const { userID } = ctx.caller;
  const found = await ctx.data.uploads.find(userID, uploadID);
  if (!found) return 'missing';
  await ctx.data.streamParts.lockUsersOf({ uploadID: found.id });
  const planned = await ctx.data.streamParts.lockPlannedOf(userID);
  const upload = await ctx.data.uploads.lock(userID, found.id);
  if (!upload) return 'missing';
  const now = await ctx.data.now();
  for (const stream of planned)
    if (await playsSoon(ctx.data, stream, upload.id, now))
      return { inUse: [`the programme of live stream ${stream.id} within the next minute`] };
  if (await ctx.data.uploadUses.isInUse(upload.id)) return { inUse: await usersOf(ctx, upload) };
  await ctx.data.sourceFiles.stopRetrying(upload.id);
  await discardUpload(ctx.data, upload);
  return 'deleted';
}

/** Some users of an upload, as a sentence names them. */
async function usersOf(ctx: Context, { id: uploadID }: Upload): Promise<string[]> {
  const users = await ctx.data.uploadUses.usersOf(uploadID, maxNamed);
  // A stream whose playlist has changed plays the former items until the change takes effect.
  if (users.length === 0) return ['a live stream, until the version published last takes effect'];
  return users.map(({ kind, id, name }) => `${kindWords[kind]} ${id}${name ? ` (${name})` : ''}`);
}

export function inUseDetail(users: readonly string[]): string {
  return `The upload is used by ${users.join(', ')}. Remove it there first.`;
}
