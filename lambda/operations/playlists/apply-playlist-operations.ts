// POST /playlists/{id}/operations: applies a batch of edits to the draft, all or nothing.
import * as z from 'zod';
import type { Upload } from '../../data/media/uploads.ts';
import { playlistModes } from '../../domain/playout/play-out.ts';
import { applyPlaylistOperations as apply, maxPlaylistItems } from '../../domain/playout/playlist-edits.ts';
import type { PlaylistOperation } from '../../domain/playout/playlist-edits.ts';
import { failureOfItem } from '../../domain/readiness/readiness.ts';
import { keepPrepared } from '../../orchestration/playout/keep-prepared.ts';
import { uploadFacts } from '../../orchestration/shared/upload-facts.ts';
import type { Context } from '../context.ts';
import { assertNoFaults, fieldProblem } from '../field-problems.ts';
import type { FieldFault } from '../field-problems.ts';
import { id, orNotFound } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { itemLookInput, itemLookSettings } from '../look-fields.ts';
import { itemSoundSettings, soundInput } from '../sound-fields.ts';
import { itemsMore, playlistSchema, presentPlaylist } from './playlist-schema.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';

const itemID = id.describe('ID of the item.');
const uploadID = id.describe('ID of the upload.');
const index = z.int().min(0).max(maxPlaylistItems).describe('Position in the playlist, from 0.');

const edit = z
  .discriminatedUnion('op', [
    z.strictObject({
      op: z.literal('add'),
      uploadID,
      index: index.optional().describe('Position in the playlist, from 0. Default: at the end.'),
      itemID: id.optional().describe('ID that the new item gets. Default: the service chooses one.'),
    }),
    z.strictObject({ op: z.literal('remove'), itemID }),
    z.strictObject({ op: z.literal('move'), itemID, index }),
    z.strictObject({ op: z.literal('replace'), itemID, uploadID }),
    z.strictObject({
      op: z.literal('set'),
      itemID,
      sound: soundInput.transform(itemSoundSettings).nullish(),
      look: itemLookInput.transform(itemLookSettings).nullish(),
    }),
    z.strictObject({ op: z.literal('setMode'), mode: z.enum(playlistModes) }),
    z.strictObject({ op: z.literal('clear') }),
  ])
  .meta({ id: 'PlaylistOperation' });

export const applyPlaylistOperations = operation(['service:write'], {
  summary: 'Edit a playlist',
  description:
    'Edits the draft: adds, moves, replaces, configures and removes items. The operations apply in order, each ' +
    'to the result of the previous ones. If one of them fails, nothing is written. Next: publish_playlist, if ' +
    'the stream is live or to prepare the items ahead. A start publishes by itself.',
  tag: 'playlists',
  route: 'POST /playlists/{id}/operations',
  body: z.strictObject({
    operations: z.array(edit).min(1).max(500).describe('Edits in order, such as one add for each upload.'),
    expectedVersion: z
      .int32()
      .optional()
      .describe(
        'Version that the client has seen. If the playlist has another version, the batch is refused with ' +
          'version_conflict.',
      ),
  }),
  output: { status: 200, body: playlistSchema },
  errors: ['version_conflict', 'limit_reached'],
  hints: { destructive: true },
  async handle(ctx, { params, body }) {
    const uploads = await uploadsOf(ctx, body.operations);
    const playlist = orNotFound(await ctx.data.playlists.lock(ctx.caller.userID, params.id), 'playlist');
    assertUploads(playlist.kind, uploads);
    if (body.expectedVersion !== undefined && body.expectedVersion !== playlist.version) {
      throw new ProblemError(
        'version_conflict',
        `The playlist has version ${playlist.version}, not ${body.expectedVersion}.`,
      );
    }
    const result = apply(playlist.draft, body.operations, () => ctx.newID('itm'));
    if ('fault' in result) {
      const { operationIndex, field, detail } = result.fault;
      throw fieldProblem(`operations/${operationIndex}${field === null ? '' : `/${field}`}`, detail);
    }
    await assertRoom(ctx, { playlistItems: itemsMore(playlist, result.spec) });
    const saved = await ctx.data.playlists.saveDraft(playlist.id, result.spec);
    await keepPrepared(ctx.data, 'playlist', playlist.id, {
      retries: 'at once',
      limitFactor: ctx.settings.limitFactor,
    });
    return presentPlaylist(ctx, saved);
  },
});

/** An upload that an operation names; null if the caller has no such upload. */
interface NamedUpload {
  readonly position: number;
  readonly upload: Upload | null;
}

/** The uploads that operations name. They stay locked, so none of them can be deleted before the batch is written. */
async function uploadsOf(ctx: Context, operations: readonly PlaylistOperation[]): Promise<NamedUpload[]> {
  const named = operations.flatMap((operation, position) =>
    'uploadID' in operation ? [{ position, id: operation.uploadID }] : [],
  );
  const namedIDs = named.map((each) => each.id);
  const found = await ctx.data.uploads.lockManyForUse([ctx.caller.userID], namedIDs);
  const byID = new Map(found.map((upload) => [upload.id, upload]));
  return named.map(({ position, id }) => ({ position, upload: byID.get(id) ?? null }));
}

/** Refuses uploads that do not belong to the caller, and examined uploads without content for this kind of playlist. */
function assertUploads(kind: PlaylistKind, named: readonly NamedUpload[]): void {
  const faults = named.flatMap(({ position, upload }): FieldFault[] => {
    const detail = faultOf(kind, upload);
    return detail === null ? [] : [[`operations/${position}/uploadID`, detail]];
  });
  assertNoFaults(faults);
}

function faultOf(kind: PlaylistKind, upload: Upload | null): string | null {
  if (upload === null) return 'There is no such upload.';
  if (upload.probe_state !== 'completed') return null;
  return failureOfItem({ ...uploadFacts(upload)!, failure: upload.failure }, kind)?.detail ?? null;
}
