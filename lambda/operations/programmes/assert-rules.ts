// Refuses rules that cannot be planned, and rules that name what is not the caller's.
import type { Programme, StoredRules } from '../../data/programme/programmes.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import { faultsOfRules } from '../../domain/programme/programme-faults.ts';
import type { ItemSource } from '../../domain/programme/programme-rules.ts';
import { budgetOf, inTurns } from '../../orchestration/programme/planning-turns.ts';
import type { Context } from '../context.ts';
import { assertNoFaults } from '../field-problems.ts';
import type { FieldFault } from '../field-problems.ts';

/**
 * @param programme the programme, or one that is to be made
 * @throws {ProblemError} programme_invalid, with a pointer to each faulty rule
 */
export async function assertRules(
  ctx: Context,
  { kind, stream_id: streamID }: Pick<Programme, 'kind' | 'stream_id'>,
  rules: StoredRules,
): Promise<void> {
  const faults = [
    ...(await inTurns(budgetOf(ctx.data), (nextTurn) => faultsOfRules({ ...rules, seed: 0 }, nextTurn))),
    ...(await faultsOfSources(ctx, kind, rules)),
    ...(await faultsOfInputs(ctx, streamID, rules)),
  ];
  assertNoFaults(faults, 'programme_invalid');
}

/** A source of items with the path of the rule that names it. */
type NamedSource = readonly [path: string, from: ItemSource];

async function faultsOfSources(ctx: Context, kind: PlaylistKind, rules: StoredRules): Promise<FieldFault[]> {
  const named = namedSources(rules);
  const idsOf = (field: 'collectionID' | 'uploadID') => [
    ...new Set(named.flatMap(([, from]) => (field in from ? [(from as Record<string, string>)[field]!] : []))),
  ];
  const { userID } = ctx.caller;
  const collections = await ctx.data.collections.lockManyForRead(userID, idsOf('collectionID'));
  const uploads = await ctx.data.uploads.lockManyForUse([userID], idsOf('uploadID'));
  return named.flatMap(([path, from]): FieldFault[] => {
    if ('uploadID' in from)
      return uploads.some(({ id }) => id === from.uploadID) ? [] : [[path, 'There is no such upload.']];
    const collection = collections.find(({ id }) => id === from.collectionID);
    if (!collection) return [[path, 'There is no such collection.']];
    return collection.kind === kind ? [] : [[path, `The collection is for the ${collection.kind} of streams.`]];
  });
}

function namedSources({ blocks, inserts, filler }: StoredRules): NamedSource[] {
  const field = (from: ItemSource) => ('uploadID' in from ? 'uploadID' : 'collectionID');
  const framing = ['introUploadID', 'outroUploadID'] as const;
  return [
    ...blocks.flatMap(({ steps }, place) =>
      steps.map(({ from }, index): NamedSource => [`blocks/${place}/steps/${index}/${field(from)}`, from]),
    ),
    ...inserts.flatMap((insert, place): NamedSource[] => [
      [`inserts/${place}/${field(insert.from)}`, insert.from],
      ...framing.flatMap((name): NamedSource[] => {
        const uploadID = insert[name];
        return uploadID === null ? [] : [[`inserts/${place}/${name}`, { uploadID }]];
      }),
    ]),
    ...(filler === null ? [] : [[`filler/${field(filler.from)}`, filler.from] as const]),
  ];
}

/** Blocks that name an input of another stream, or none. */
async function faultsOfInputs({ data, caller }: Context, streamID: string, rules: StoredRules): Promise<FieldFault[]> {
  if (rules.blocks.every(({ liveInputID }) => liveInputID === undefined)) return [];
  const inputs = await data.liveInputs.list(caller.userID, streamID);
  return rules.blocks.flatMap(({ liveInputID }, place): FieldFault[] =>
    liveInputID === undefined || inputs.some(({ id }) => id === liveInputID)
      ? []
      : [[`blocks/${place}/liveInputID`, 'The stream has no such live input. list_live_inputs returns its inputs.']],
  );
}
