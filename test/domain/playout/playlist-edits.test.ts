// Playlist edits against a model: a batch is its operations in sequence, all of them or none.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPlaylistOperations, maxPlaylistItems } from '../../../lambda/domain/playout/playlist-edits.ts';
import type { EditResult, PlaylistOperation, PlaylistSpec } from '../../../lambda/domain/playout/playlist-edits.ts';
import { applyToList } from './playlist-model.ts';

function frozen(spec: PlaylistSpec): PlaylistSpec {
  return Object.freeze({ mode: spec.mode, items: Object.freeze(spec.items.map((item) => Object.freeze({ ...item }))) });
}

function playlist(...ids: string[]): PlaylistSpec {
  return frozen({ mode: 'sequential', items: ids.map((id) => ({ id, uploadID: `upload of ${id}` })) });
}

/** Ids for items that are added without one: new-1, new-2, …, possibly taken by items of these tests. */
function counter(): () => string {
  let made = 0;
  return () => `new-${++made}`;
}

/** Unused ids for items: made-1, made-2, … */
function unusedIDs(): () => string {
  const count = counter();
  return () => `made-${count()}`;
}

function apply(spec: PlaylistSpec, ...operations: PlaylistOperation[]): EditResult {
  return applyPlaylistOperations(spec, operations, counter());
}

function idsOf(result: EditResult): string[] {
  if (!('spec' in result)) throw new Error(result.fault.detail);
  return result.spec.items.map((item) => item.id);
}

const itemID = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'new-1', 'new-2');
const uploadID = fc.constantFrom('u', 'v', 'w');
const index = fc.nat(6);
const mode = fc.constantFrom('sequential' as const, 'shuffle' as const);
const sound = fc.record({ loudness: fc.record({ enabled: fc.boolean(), targetLUFS: fc.constantFrom(-14, -23) }) });
const look = fc.record({
  framing: fc.record({ mode: fc.constantFrom('pad' as const, 'blur' as const), colour: fc.constant('#000000') }),
});
const anyOperation: fc.Arbitrary<PlaylistOperation> = fc.oneof(
  fc.record({ op: fc.constant('add' as const), uploadID, index, itemID }, { requiredKeys: ['op', 'uploadID'] }),
  fc.record({ op: fc.constant('remove' as const), itemID }),
  fc.record({ op: fc.constant('move' as const), itemID, index }),
  fc.record({ op: fc.constant('replace' as const), itemID, uploadID }),
  fc.record(
    { op: fc.constant('set' as const), itemID, sound: fc.option(sound), look: fc.option(look) },
    { requiredKeys: ['op', 'itemID'] },
  ),
  fc.record({ op: fc.constant('setMode' as const), mode }),
  { weight: 1, arbitrary: fc.record({ op: fc.constant('clear' as const) }) },
);
const anySpec = fc
  .record({
    mode,
    items: fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e'), uploadID }), {
      selector: (item) => item.id,
    }),
  })
  .map(frozen);
const anyBatch = fc.array(anyOperation, { minLength: 1, maxLength: 12 });

describe('a batch', () => {
  test('does what its operations do to a plain list, or names the first that does not fit', () => {
    fc.assert(
      fc.property(anySpec, anyBatch, (spec, operations) => {
        const result = applyPlaylistOperations(spec, operations, unusedIDs());
        const list = { mode: spec.mode as string, items: [...spec.items] };
        const modelID = unusedIDs();
        const firstMisfit = operations.findIndex((operation) => !applyToList(list, operation, modelID));
        if ('fault' in result) expect(result.fault.operationIndex).toBe(firstMisfit);
        else expect([firstMisfit, result.spec]).toEqual([-1, list]);
      }),
      { numRuns: 500 },
    );
  });

  test('does the same as its operations sent one by one', () => {
    fc.assert(
      fc.property(anySpec, anyBatch, (spec, operations) => {
        const newItemID = counter();
        let oneByOne: EditResult = { spec };
        for (const [operationIndex, operation] of operations.entries()) {
          if (!('spec' in oneByOne)) break;
          oneByOne = applyPlaylistOperations(oneByOne.spec, [operation], newItemID);
          if ('fault' in oneByOne) oneByOne = { fault: { ...oneByOne.fault, operationIndex } };
        }
        expect(apply(spec, ...operations)).toEqual(oneByOne);
      }),
    );
  });

  test('leaves the ids of items unique', () => {
    fc.assert(
      fc.property(anySpec, anyBatch, (spec, operations) => {
        const result = apply(spec, ...operations);
        if ('fault' in result) return;
        expect(new Set(idsOf(result)).size).toBe(result.spec.items.length);
      }),
    );
  });
});

describe('items', () => {
  test('are added at the end, or at a place, with their own id or a new one', () => {
    const added = apply(
      playlist('a', 'b'),
      { op: 'add', uploadID: 'u' },
      { op: 'add', uploadID: 'v', index: 0, itemID: 'x' },
      { op: 'add', uploadID: 'w', index: 2 },
    );
    expect(added).toEqual({
      spec: {
        mode: 'sequential',
        items: [
          { id: 'x', uploadID: 'v' },
          { id: 'a', uploadID: 'upload of a' },
          { id: 'new-2', uploadID: 'w' },
          { id: 'b', uploadID: 'upload of b' },
          { id: 'new-1', uploadID: 'u' },
        ],
      },
    });
  });

  test.for([
    [0, 'c a b d'],
    [1, 'a c b d'],
    [2, 'a b c d'],
    [3, 'a b d c'],
  ] as const)('moved to place %i are there afterwards', ([place, order]) => {
    expect(idsOf(apply(playlist('a', 'b', 'c', 'd'), { op: 'move', itemID: 'c', index: place })).join(' ')).toBe(order);
  });

  test('keep their id and place when their upload is replaced', () => {
    expect(apply(playlist('a', 'b'), { op: 'replace', itemID: 'a', uploadID: 'other' })).toMatchObject({
      spec: { items: [{ id: 'a', uploadID: 'other' }, { id: 'b' }] },
    });
  });

  test('keep their order when another is removed, or the mode changes', () => {
    const result = apply(playlist('a', 'b', 'c'), { op: 'remove', itemID: 'b' }, { op: 'setMode', mode: 'shuffle' });
    expect(result).toMatchObject({ spec: { mode: 'shuffle', items: [{ id: 'a' }, { id: 'c' }] } });
  });

  test('that were cleared leave their ids free and the mode as it was', () => {
    const result = apply(
      { ...playlist('a'), mode: 'shuffle' },
      { op: 'clear' },
      { op: 'add', uploadID: 'u', itemID: 'a' },
    );
    expect(result).toEqual({ spec: { mode: 'shuffle', items: [{ id: 'a', uploadID: 'u' }] } });
  });
});

describe('an operation that does not fit', () => {
  const clear: PlaylistOperation = { op: 'clear' };

  test.for<[string, PlaylistOperation[], number, string | null]>([
    ['removes what is not there', [{ op: 'remove', itemID: 'x' }], 0, 'itemID'],
    ['moves what is not there', [{ op: 'move', itemID: 'x', index: 0 }], 0, 'itemID'],
    ['sets what is not there', [{ op: 'set', itemID: 'x', sound: null }], 0, 'itemID'],
    ['replaces what is not there', [{ op: 'replace', itemID: 'x', uploadID: 'u' }], 0, 'itemID'],
    [
      'names what the batch has removed',
      [
        { op: 'remove', itemID: 'a' },
        { op: 'move', itemID: 'a', index: 0 },
      ],
      1,
      'itemID',
    ],
    ['names what the batch has cleared', [clear, { op: 'remove', itemID: 'a' }], 1, 'itemID'],
    ['adds an id that is taken', [{ op: 'add', uploadID: 'u', itemID: 'a' }], 0, 'itemID'],
    ['adds beyond the end', [{ op: 'add', uploadID: 'u', index: 3 }], 0, 'index'],
    ['moves beyond the last place', [{ op: 'move', itemID: 'a', index: 2 }], 0, 'index'],
  ])('%s: nothing of the batch is applied', ([, operations, operationIndex, field]) => {
    const batch: PlaylistOperation[] = [...operations, { op: 'setMode', mode: 'shuffle' }];
    expect(apply(playlist('a', 'b'), ...batch)).toEqual({
      fault: { operationIndex, field, detail: expect.stringMatching(/^[A-Z].*\.$/) },
    });
  });

  test('adds to a full playlist', () => {
    const full = playlist(...Array.from({ length: maxPlaylistItems }, (_, number) => `item-${number}`));
    expect(apply(full, { op: 'add', uploadID: 'u' })).toEqual({
      fault: { operationIndex: 0, field: null, detail: 'A playlist holds at most 1000 items.' },
    });
    expect(idsOf(apply(full, { op: 'remove', itemID: 'item-7' }, { op: 'add', uploadID: 'u' }))).toHaveLength(
      maxPlaylistItems,
    );
  });
});
