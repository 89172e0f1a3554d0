// POST /uploads/batch: changes and deletes many uploads at once, all or nothing.
import * as z from 'zod';
import type { Upload } from '../../data/media/uploads.ts';
import { isWithin, maxDepth } from '../../domain/shared/folder-path.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { id } from '../fields.ts';
import { operation } from '../operation.ts';
import { deleteUnused, inUseDetail } from './delete-upload.ts';
import { folderPath, maxTags, namedFolder, someTags, uploadName, withTags, withoutTags } from './upload-order.ts';

/** The most uploads that one request deletes: each takes several statements, and a request has only seconds. */
const maxDeleted = 1000;
/** The most uploads that one request moves with their folders: each takes a third of a millisecond of the database. */
const maxMoved = 10_000;

const uploadID = id.describe('ID of the upload.');

const change = z
  .discriminatedUnion('op', [
    z.strictObject({ op: z.literal('rename'), uploadID, name: uploadName }),
    z.strictObject({ op: z.literal('move'), uploadID, folder: folderPath }),
    z.strictObject({ op: z.literal('tag'), uploadID, tags: someTags }),
    z.strictObject({ op: z.literal('untag'), uploadID, tags: someTags }),
    z.strictObject({ op: z.literal('delete'), uploadID }),
    z.strictObject({ op: z.literal('moveFolder'), folder: namedFolder, to: folderPath }),
    z.strictObject({ op: z.literal('deleteFolder'), folder: namedFolder }),
  ])
  .meta({ id: 'UploadOperation' });
type Change = z.output<typeof change>;
type Arrangement = Extract<Change, { op: 'rename' | 'move' | 'tag' | 'untag' }>;

export const applyUploadOperations = operation(['service:write'], {
  summary: 'Organize uploads',
  description:
    'Changes or deletes many uploads, or folders with their content. The operations apply in order. If one of ' +
    `them fails, nothing changes. At most ${maxDeleted} uploads are deleted at once, and at most ${maxMoved} moved ` +
    'with their folders.',
  tag: 'uploads',
  route: 'POST /uploads/batch',
  body: z.strictObject({
    operations: z
      .array(change)
      .min(1)
      .max(500)
      .describe('Operations in order. Each applies to the result of the previous ones.'),
  }),
  output: {
    status: 200,
    body: z
      .object({ changed: z.int32().describe('Number of uploads that changed.'), deleted: z.int32() })
      .meta({ id: 'ArrangedUploads' }),
  },
  errors: ['resource_in_use'],
  hints: { destructive: true },
  async handle(ctx, { body }) {
    const done = { changed: new Set<string>(), moved: 0, deleted: 0 };
    for (let index = 0; index < body.operations.length;) {
      const arrangements = arrangementsFrom(body.operations, index);
      if (arrangements.length > 0) await arrange(ctx, arrangements, index, done);
      else await apply(ctx, body.operations[index] as Exclude<Change, Arrangement>, refusalOf(index), done);
      index += Math.max(1, arrangements.length);
    }
    return { changed: done.changed.size + done.moved, deleted: done.deleted };
  },
});

interface Done {
  readonly changed: Set<string>;
  /** Number of uploads that moved with their folder. */
  moved: number;
  deleted: number;
}

/** The problem of an operation that cannot be applied. */
type Refusal = typeof fieldProblem;

function refusalOf(index: number): Refusal {
  return (field, ...fault) => fieldProblem(`operations/${index}/${field}`, ...fault);
}

/** The operations at this place and behind it, up to the first that needs the database. */
function arrangementsFrom(operations: readonly Change[], index: number): Arrangement[] {
  const isArrangement = (each: Change): each is Arrangement => 'uploadID' in each && each.op !== 'delete';
  const end = operations.findIndex((each, place) => place >= index && !isArrangement(each));
  return operations.slice(index, end < 0 ? undefined : end) as Arrangement[];
}

/** Applies operations as one set: 500 of them by themselves would hold their locks for seconds. */
async function arrange(ctx: Context, arrangements: readonly Arrangement[], index: number, done: Done): Promise<void> {
  const ids = [...new Set(arrangements.map(({ uploadID: id }) => id))];
  const uploads = await ctx.data.uploads.lockMany(ctx.caller.userID, ids);
  for (const [place, each] of arrangements.entries()) {
    const refusal = refusalOf(index + place);
    const upload = uploads.get(each.uploadID);
    if (!upload) throw refusal('uploadID', 'This upload does not exist.');
    uploads.set(upload.id, { ...upload, ...changesOf(upload, each, refusal) });
    done.changed.add(upload.id);
  }
  const renamed = arrangements.filter(({ op }) => op === 'rename').map(({ uploadID: id }) => id);
  if (renamed.length > 0) await ctx.data.imports.keepNames(renamed);
  await ctx.data.uploads.arrangeMany([...uploads.values()]);
}

async function apply(ctx: Context, each: Exclude<Change, Arrangement>, refusal: Refusal, done: Done): Promise<void> {
  const { userID } = ctx.caller;
  switch (each.op) {
    case 'moveFolder':
      done.moved += await moveFolder(ctx, each, refusal, maxMoved - done.moved);
      return;
    case 'deleteFolder': {
      const ids = await ctx.data.uploadLists.idsBelow(userID, each.folder, maxDeleted + 1);
      if (ids.length === 0) throw refusal('folder', 'This folder does not exist.');
      for (const uploadID of ids) await remove(ctx, uploadID, 'folder', refusal, done);
      return;
    }
    case 'delete':
      return remove(ctx, each.uploadID, 'uploadID', refusal, done);
  }
}

function changesOf(
  { tags }: Upload,
  each: Arrangement,
  refusal: Refusal,
): Partial<Pick<Upload, 'name' | 'folder' | 'tags'>> {
  switch (each.op) {
    case 'rename':
      return { name: each.name };
    case 'move':
      return { folder: each.folder };
    case 'untag':
      return { tags: withoutTags(tags, each.tags) };
    case 'tag': {
      const all = withTags(tags, each.tags);
      if (all === null) throw refusal('tags', `The upload would have more than ${maxTags} tags.`);
      return { tags: all };
    }
  }
}

async function moveFolder(
  ctx: Context,
  { folder, to }: Extract<Change, { op: 'moveFolder' }>,
  refusal: Refusal,
  mayMove: number,
): Promise<number> {
  if (isWithin(to, folder)) throw refusal('to', 'A folder cannot be moved into itself.');
  const depth = await ctx.data.uploadLists.depthBelow(ctx.caller.userID, folder);
  if (depth === 0) throw refusal('folder', 'This folder does not exist.');
  const { length: count } = await ctx.data.uploadLists.idsBelow(ctx.caller.userID, folder, mayMove + 1);
  if (count > mayMove)
    throw refusal('folder', `More than ${maxMoved} uploads would be moved. Move parts of it in several requests.`);
  const added = to === '' ? 0 : to.split('/').length;
  if (depth - folder.split('/').length + added > maxDepth)
    throw refusal('to', `The content of the folder would be more than ${maxDepth} folders deep.`);
  return ctx.data.uploadLists.moveFolder(ctx.caller.userID, folder, to);
}

async function remove(ctx: Context, uploadID: string, field: string, refusal: Refusal, done: Done): Promise<void> {
  if (done.deleted === maxDeleted)
    throw refusal(field, `More than ${maxDeleted} uploads would be deleted. Split the deletion into several requests.`);
  const result = await deleteUnused(ctx, uploadID);
  if (result === 'missing') throw refusal('uploadID', 'This upload does not exist.');
  if (result !== 'deleted') throw refusal(field, inUseDetail(result.inUse), 'resource_in_use');
  done.deleted += 1;
}
