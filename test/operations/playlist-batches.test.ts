// Random batches of playlist operations on the real handlers, next to a plain list: all of a batch or nothing.
import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { PlaylistItem, PlaylistOperation } from '../../lambda/domain/playout/playlist-edits.ts';
import { applyToList } from '../domain/playout/playlist-model.ts';
import { pretendProbed, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
let user: TestUser;
let streamID: string;
let uploads: string[];
beforeAll(async () => {
  user = await service.user();
  streamID = (await user.call('POST', '/streams', {})).body.id;
  uploads = [];
  for (let made = 0; made < 3; made++) {
    const { id } = (await user.call('POST', '/uploads', { name: 'clip', mimeType: 'video/mp4' })).body;
    await pretendProbed(service, id, { durationSeconds: made + 1 });
    uploads.push(id);
  }
});

/** Uploads by their place among those of the user; place 3 does not exist. */
const upload = fc.integer({ min: 0, max: 12 }).map((place) => (place === 12 ? 3 : place % 3));
const itemID = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const index = fc.nat(4);
const anyOperation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      { op: fc.constant('add' as const), upload, itemID, index },
      { requiredKeys: ['op', 'upload', 'itemID'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('move' as const), itemID, index }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('replace' as const), itemID, upload }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), itemID }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('setMode' as const),
      mode: fc.constantFrom('sequential' as const, 'shuffle' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ op: 'clear' as const }) },
);
/** Difference of the batch's expected version from the playlist's; null: no expected version. */
const expectation = fc.constantFrom(null, null, 0, 0, -1, 1);
const anyBatches = fc.array(
  fc.record({ operations: fc.array(anyOperation, { minLength: 1, maxLength: 5 }), expectation }),
  { minLength: 1, maxLength: 8 },
);

type Code = 'validation_failed' | 'version_conflict';
interface List {
  readonly mode: string;
  readonly items: PlaylistItem[];
}

/** The expected effect of a batch on a list: the new list, or the refusal and its operation. */
function judgeBatch(
  list: List,
  { operations, isForThisVersion }: { operations: readonly PlaylistOperation[]; isForThisVersion: boolean },
): { list: List } | { code: Code; at: number } {
  const unknown = operations.findIndex((operation) => 'uploadID' in operation && operation.uploadID === 'nothing');
  if (unknown >= 0) return { code: 'validation_failed', at: unknown };
  if (!isForThisVersion) return { code: 'version_conflict', at: -1 };
  const edited = { ...list, items: [...list.items] };
  const misfit = operations.findIndex((operation) => !applyToList(edited, operation, () => ''));
  return misfit >= 0 ? { code: 'validation_failed', at: misfit } : { list: edited };
}

/** An operation of a batch, with the id of its upload in place of a number. */
function withUploadID(operation: object): PlaylistOperation {
  if (!('upload' in operation)) return operation as PlaylistOperation;
  const { upload: place, ...rest } = operation;
  return { ...rest, uploadID: uploads[place as number] ?? 'nothing' } as PlaylistOperation;
}

/** The draft of a playlist as a list, with its version. */
function listOf({ version, draft }: { version: number; draft: List }) {
  return { version, mode: draft.mode, items: draft.items.map(({ id, uploadID }) => ({ id, uploadID })) };
}

it('a batch is applied and gives the playlist a version, or changes nothing', { timeout: 60_000 }, async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyBatches, async (batches) => {
      const made = { streamID, kind: 'video', mode: 'sequential' };
      const { body: playlist } = await user.call('POST', '/playlists', made);
      let list: List = { mode: 'sequential', items: [] };
      let version = 1;
      for (const batch of batches) {
        const operations = batch.operations.map(withUploadID);
        const expected = batch.expectation === null ? {} : { expectedVersion: version + batch.expectation };
        const answer = await user.call('POST', `/playlists/${playlist.id}/operations`, { operations, ...expected });
        const verdict = judgeBatch(list, { operations, isForThisVersion: (batch.expectation ?? 0) === 0 });
        const { body: stored } = await user.call('GET', `/playlists/${playlist.id}`);
        if ('list' in verdict) {
          list = verdict.list;
          version++;
          outcomes.add('applied');
          expect([answer.status, answer.body]).toEqual([200, stored]);
        } else {
          outcomes.add(verdict.code);
          expect([answer.status, answer.body.code]).toEqual([422, verdict.code]);
          if (verdict.code === 'validation_failed')
            expect(answer.body.errors[0].path).toMatch(new RegExp(`^/operations/${verdict.at}(/|$)`));
        }
        expect(listOf(stored)).toEqual({ version, ...list });
        const durations = list.items.map(({ uploadID }) => uploads.indexOf(uploadID) + 1);
        expect(stored.draft.durationSeconds).toBe(durations.reduce((sum, seconds) => sum + seconds, 0));
      }
    }),
    { numRuns: 40 },
  );
  expect([...outcomes].toSorted()).toEqual(['applied', 'validation_failed', 'version_conflict']);
});
