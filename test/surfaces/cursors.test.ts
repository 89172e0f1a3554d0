// Cursors: users cannot forge, read or alter them, and a walk shows every row once while rows are added and removed.
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { operations } from '../../lambda/operations/index.ts';
import { cursorsOf } from '../../lambda/surfaces/cursors.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

let made = 0;
async function addUpload(userID: string): Promise<string> {
  const id = `upl_${++made}`;
  await databaseOn(service.pool()).uploads.insert({
    id,
    userID,
    name: id,
    mimeType: 'video/mp4',
    type: 'video',
    objectKey: id,
    declaredSizeBytes: null,
    expectedBytes: 0,
  });
  return id;
}

it('a walk shows each row that stays once, newest first, whatever comes and goes between its pages', async () => {
  const between = fc.array(fc.oneof(fc.constant('add' as const), fc.record({ remove: fc.nat() })), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 15 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(between, { maxLength: 8 }),
      async (rows, limit, changes) => {
        const walker = await service.user(0);
        const there: string[] = [];
        for (let row = 0; row < rows; row++) there.unshift(await addUpload(walker.id));
        const atStart = [...there];
        const removed = new Set<string>();
        const seen: string[] = [];
        for (let cursor: string | null = null, page = 0; page === 0 || cursor; page++) {
          const { body } = await walker.call('GET', `/uploads?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
          expect(body.data.length).toBeLessThanOrEqual(limit);
          expect(body.page.hasMore).toBe(body.page.nextCursor !== '');
          if (body.page.hasMore) expect(body.data).toHaveLength(limit);
          seen.push(...body.data.map((upload: { id: string }) => upload.id));
          cursor = body.page.nextCursor;
          for (const change of changes[page] ?? []) {
            if (change === 'add') there.unshift(await addUpload(walker.id));
            else if (there.length > 0) {
              const [gone] = there.splice(change.remove % there.length, 1);
              removed.add(gone!);
              await databaseOn(service.pool()).uploads.delete(gone!);
            }
          }
        }
        // A removed row may have been shown before its removal. No other row may be missing, repeated or new.
        expect(seen.filter((id) => !removed.has(id))).toEqual(atStart.filter((id) => !removed.has(id)));
        expect(seen).toEqual(atStart.filter((id) => seen.includes(id)));
      },
    ),
    { numRuns: 20 },
  );
});

describe('a cursor', () => {
  const { seal, open } = cursorsOf('secret', 'usr_1');
  const position = fc.nat({ max: Number.MAX_SAFE_INTEGER });

  it('leads back to its position, which cannot be read from it', () => {
    fc.assert(fc.property(position, fc.string(), (at, list) => open(list, seal(list, at)) === at));
    expect(seal('uploads', 1)).toMatch(/^[A-Za-z0-9_-]{27}$/);
  });

  it('of another list, another caller or another service opens nothing', () => {
    fc.assert(
      fc.property(position, fc.string(), fc.string(), (at, list, other) => {
        const cursor = seal(list, at);
        fc.pre(list !== other);
        expect([
          open(other, cursor),
          cursorsOf('secret', 'usr_2').open(list, cursor),
          cursorsOf('other', 'usr_1').open(list, cursor),
        ]).toEqual([null, null, null]);
      }),
    );
  });

  it('of which any character was changed, removed or added opens nothing', () => {
    const splice = fc.record({
      at: fc.nat({ max: 27 }),
      removed: fc.nat({ max: 3 }),
      added: fc.string({ maxLength: 3 }),
    });
    fc.assert(
      fc.property(position, splice, (sealed, { at, removed, added }) => {
        const cursor = seal('uploads', sealed);
        const altered = cursor.slice(0, at) + added + cursor.slice(at + removed);
        fc.pre(altered !== cursor);
        expect(open('uploads', altered)).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});

describe.for(
  operations
    .filter(({ path, query }) => 'cursor' in query.shape && !path.includes('{'))
    .map((operation) => [operation.id, operation] as const),
)('%s', ([, { path, errors }]) => {
  it.each(['', 'x', 'AAAAAAAAAAEAAAAAAAAAAAAAAAA', 'é', 'x'.repeat(10_000)])(
    'refuses the cursor %j',
    async (cursor) => {
      const { status, body } = await user.call('GET', `${path}?cursor=${encodeURIComponent(cursor)}`);
      expect([status, body.code]).toEqual([422, 'invalid_cursor']);
      expect(body.errors).toEqual([expect.objectContaining({ path: '/query/cursor', code: 'invalid_cursor' })]);
      expect(errors).toContain('invalid_cursor');
    },
  );
});
