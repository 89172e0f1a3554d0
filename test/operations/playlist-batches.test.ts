// Random batches of playlist operations on the real handlers, next to a plain list: all or nothing, in order, a version for each.
import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { PlaylistItem, PlaylistOperation } from '../../lambda/domain/playlist-edits.ts';
import { applyToList } from '../domain/playlist-model.ts';
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

/** Uploads by their place among those of the user; place 3 is nobody's. */
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
/** How far the version that a batch expects is from the one that the playlist has; null expects none. */
const expectation = fc.constantFrom(null, null, 0, 0, -1, 1);
const anyBatches = fc.array(
  fc.record({ operations: fc.array(anyOperation, { minLength: 1, maxLength: 5 }), expectation }),
  { minLength: 1, maxLength: 8 },
);

it('applies each batch wholly or not at all', { timeout: 60_000 }, async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyBatches, async (batches) => {
      const { body: playlist } = await user.call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' });
      let list: { mode: string; items: PlaylistItem[] } = { mode: 'sequential', items: [] };
      let version = 1;
      for (const batch of batches) {
        const operations = batch.operations.map((operation): PlaylistOperation => {
          if (!('upload' in operation)) return operation;
          const { upload: place, ...rest } = operation;
          return { ...rest, uploadID: uploads[place] ?? 'nothing' };
        });
        const answer = await user.call('POST', `/playlists/${playlist.id}/operations`, {
          operations,
          ...(batch.expectation === null ? {} : { expectedVersion: version + batch.expectation }),
        });

        const edited = { ...list, items: [...list.items] };
        const unknown = operations.findIndex(
          (operation) => 'uploadID' in operation && operation.uploadID === 'nothing',
        );
        const misfit = operations.findIndex((operation) => !applyToList(edited, operation, () => ''));
        const code =
          unknown >= 0
            ? 'validation_failed'
            : (batch.expectation ?? 0) !== 0
              ? 'version_conflict'
              : misfit >= 0
                ? 'validation_failed'
                : null;
        outcomes.add(code ?? 'applied');
        if (code === null) {
          list = edited;
          version++;
          expect(answer.status).toBe(200);
        } else {
          expect([answer.status, answer.body.code]).toEqual([422, code]);
          const at = unknown >= 0 ? unknown : misfit;
          if (code === 'validation_failed')
            expect(answer.body.errors[0].path).toMatch(new RegExp(`^/operations/${at}(/|$)`));
        }

        const { body } = await user.call('GET', `/playlists/${playlist.id}`);
        if (code === null) expect(answer.body).toEqual(body);
        expect([
          body.version,
          body.draft.mode,
          body.draft.items.map(({ id, uploadID }: PlaylistItem) => ({ id, uploadID })),
        ]).toEqual([version, list.mode, list.items]);
        expect(body.draft.durationSeconds).toBe(
          list.items.reduce((sum, item) => sum + uploads.indexOf(item.uploadID) + 1, 0),
        );
      }
    }),
    { numRuns: 40 },
  );
  expect([...outcomes].toSorted()).toEqual(['applied', 'validation_failed', 'version_conflict']);
});
