// Refuses sources of collections that name things which the caller does not have, or which do not fit.
import type { Collection } from '../../data/media/collections.ts';
import type { CollectionSource } from '../../domain/media/collections.ts';
import { failureOfItem } from '../../domain/readiness/readiness.ts';
import { uploadFacts } from '../../orchestration/shared/upload-facts.ts';
import type { Context } from '../context.ts';
import { assertNoFaults, fieldProblem } from '../field-problems.ts';
import type { FieldFault } from '../field-problems.ts';

type Kind = Collection['kind'];

/**
 * @param ownID the collection that gets the source; null: it is new
 * @throws {ProblemError} validation_failed
 */
export async function assertSource(
  ctx: Context,
  kind: Kind,
  source: CollectionSource,
  ownID: string | null,
): Promise<void> {
  if ('uploadIDs' in source) assertNoFaults(await faultsOfUploads(ctx, kind, source.uploadIDs));
  if ('collectionIDs' in source) await assertUnion(ctx, kind, source.collectionIDs, ownID);
  if ('playlistID' in source) {
    const playlist = await ctx.data.playlists.find(ctx.caller.userID, source.playlistID);
    if (!playlist) throw fieldProblem('source/playlistID', 'There is no such playlist.');
    if (playlist.kind !== kind) throw fieldProblem('source/playlistID', otherKind('playlist', playlist.kind, kind));
  }
  if ('sourceID' in source && !(await ctx.data.sources.find(ctx.caller.userID, source.sourceID)))
    throw fieldProblem('source/sourceID', 'There is no such watched source.');
}

/** Refuses groups of an order that has none. @param field the field of the request that causes it */
export function assertGroups(
  { order, group_by: groupBy }: Pick<Collection, 'order' | 'group_by'>,
  field: string,
): void {
  if (groupBy !== null && order !== 'series')
    throw fieldProblem(field, 'Only the order series has groups. Use order series, or set groupBy to null.');
}

function otherKind(what: string, has: Kind, wanted: Kind): string {
  return `The ${what} has the kind ${has}, the collection ${wanted}. Use one of the same kind.`;
}

async function faultsOfUploads(ctx: Context, kind: Kind, ids: readonly string[]): Promise<FieldFault[]> {
  const found = await ctx.data.uploads.ofUser(ctx.caller.userID, ids);
  const byID = new Map(found.map((upload) => [upload.id, upload]));
  return ids.flatMap((id, place): FieldFault[] => {
    const fault = (detail: string): FieldFault[] => [[`source/uploadIDs/${place}`, detail]];
    const upload = byID.get(id);
    if (!upload) return fault('There is no such upload.');
    if (ids.indexOf(id) < place) return fault('The upload is listed before. A collection has each upload once.');
    if (upload.probe_state !== 'completed') return [];
    const failure = failureOfItem({ ...uploadFacts(upload)!, failure: upload.failure }, kind);
    return failure ? fault(failure.detail) : [];
  });
}

async function assertUnion(ctx: Context, kind: Kind, ids: readonly string[], ownID: string | null): Promise<void> {
  const { userID } = ctx.caller;
  const union = ownID === null ? null : await ctx.data.collections.unionWith(userID, ownID);
  if (union)
    throw fieldProblem(
      'source/collectionIDs',
      `The union ${union.id} (${union.name}) contains this collection, and unions contain no unions. Remove it there ` +
        'first.',
    );
  const found = await ctx.data.collections.lockManyForRead(userID, ids);
  const byID = new Map(found.map((collection) => [collection.id, collection]));
  assertNoFaults(
    ids.flatMap((id, place): FieldFault[] => {
      const detail = faultOfPart(kind, byID.get(id), id === ownID || ids.indexOf(id) < place);
      return detail === null ? [] : [[`source/collectionIDs/${place}`, detail]];
    }),
  );
}

function faultOfPart(kind: Kind, part: Collection | undefined, isRepeated: boolean): string | null {
  if (!part) return 'There is no such collection.';
  if (isRepeated) return 'A union contains each collection once, and not itself.';
  if ('collectionIDs' in part.source) return 'This collection is a union. List its collections instead.';
  return part.kind === kind ? null : otherKind('collection', part.kind, kind);
}
