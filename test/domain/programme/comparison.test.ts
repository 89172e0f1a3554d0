// Comparisons of two plans: rows that change, rows that move, and the rules that they change by.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { causesOf, changedRules, comparePlans } from '../../../lambda/domain/programme/comparison.ts';
import type { PlannedRow } from '../../../lambda/domain/programme/planned-row.ts';
import type { ProgrammeRules } from '../../../lambda/domain/programme/programme-rules.ts';
import { at, block, collection, insert, item, items, planned, rules, step } from './programmes.ts';

const music = collection(
  items('song', 10, () => 200),
  'sequential',
);
const news = collection(
  items('bulletin', 3, () => 200),
  'sequential',
);
const jingle = collection([item('jingle0', 8)]);
const all = { music, news, jingle, other: news };
const show = (id: string, time: string, facts = {}) =>
  block(id, { hours: at(time, 10), starts: 'hard', steps: [step('news', { cursor: 'rerun' })], ...facts });
const plain = rules({ blocks: [block('music'), show('early', '06:00'), show('late', '12:00')] });
const rowsOf = async (programme: ProgrammeRules) => (await planned(programme, all)).rows;
const ids = (rows: readonly PlannedRow[]) => rows.map(({ item: { uploadID } }) => uploadID);

async function compared(before: ProgrammeRules, after: ProgrammeRules) {
  const comparison = comparePlans(await rowsOf(before), await rowsOf(after), Infinity);
  const changed = changedRules(before, after);
  return { ...comparison, changed, causes: comparison.differences.map((each) => causesOf(each, changed)) };
}

describe('two plans', () => {
  test('of equal rules have no difference', async () => {
    const { sameRows, movedRows, differences, changed } = await compared(plain, structuredClone(plain));
    expect({ movedRows, differences, changed }).toEqual({ movedRows: 0, differences: [], changed: [] });
    expect(sameRows).toBe((await rowsOf(plain)).length);
  });

  test('show the rows of an edited block, and no other ones', async () => {
    const edited = {
      ...plain,
      blocks: [plain.blocks[0]!, show('early', '06:00', { steps: [step('other')] }), plain.blocks[2]!],
    };
    const others = {
      ...all,
      other: collection(
        items('item', 3, () => 200),
        'sequential',
      ),
    };
    const after = (await planned(edited, others)).rows;
    const comparison = comparePlans(await rowsOf(plain), after, Infinity);
    expect(comparison.differences).toHaveLength(1);
    const [difference] = comparison.differences;
    expect(ids(difference!.before)).toEqual(['bulletin0', 'bulletin1', 'bulletin2']);
    expect(ids(difference!.after)).toEqual(['item0', 'item1', 'item2']);
    expect(causesOf(difference!, changedRules(plain, edited))).toEqual(['blocks/early']);
    expect(comparison.movedRows).toBe(0);
  });

  test('show an insert between rows that move behind it', async () => {
    const edited = { ...plain, inserts: [insert('jingle', { when: { beforeBlockID: 'late' } })] };
    const { differences, causes, changed } = await compared(plain, edited);
    expect(changed).toEqual(['inserts/jingle']);
    expect(ids(differences[0]!.after)).toContain('jingle0');
    expect(causes[0]).toEqual(['inserts/jingle']);
  });

  test('show a block that is gone, and name it', async () => {
    const { changed, differences, causes } = await compared(plain, { ...plain, blocks: plain.blocks.slice(0, 2) });
    expect(changed).toEqual(['blocks/late']);
    expect(ids(differences[0]!.before)).toContain('bulletin0');
    expect(causes[0]).toEqual(['blocks/late']);
  });

  test('show blocks in another order, which decides between those of equal priority', async () => {
    const noon = [show('early', '06:00'), show('same', '06:00', { steps: [step('other', { cursor: 'rerun' })] })];
    const before = rules({ blocks: [block('music'), ...noon] });
    const { changed, causes } = await compared(before, { ...before, blocks: [block('music'), ...noon.toReversed()] });
    expect(changed).toEqual(['blocks']);
    expect(causes).toEqual([['blocks']]);
  });

  test('of a first publish have all rows', async () => {
    const rows = await rowsOf(plain);
    expect(comparePlans([], rows, Infinity)).toEqual({
      sameRows: 0,
      movedRows: 0,
      differences: [{ before: [], after: rows }],
    });
    expect(changedRules(null, plain)).toEqual(['blocks/music', 'blocks/early', 'blocks/late']);
  });

  test('are compared until a frame', async () => {
    const [before, after] = [await rowsOf(plain), await rowsOf({ ...plain, blocks: plain.blocks.slice(0, 1) })];
    const noon = 12 * 3600 * 25;
    const { differences } = comparePlans(before, after, noon);
    const shown = differences.flatMap((each) => [...each.before, ...each.after]);
    expect(shown.every(({ startFrame }) => startFrame < noon)).toBe(true);
    expect(shown.length).toBeGreaterThan(0);
  });

  test('have each of their rows once, in a difference or in both plans', async () => {
    const rowsBefore = await rowsOf(plain);
    const anyPlaces = fc.array(fc.nat(rowsBefore.length - 1), { maxLength: 60 });
    fc.assert(
      fc.property(anyPlaces, anyPlaces, (gone, changed) => {
        const after = rowsBefore
          .filter((_, place) => !gone.includes(place))
          .map((row, place) => (changed.includes(place) ? { ...row, item: item(`new${place}`, 100) } : row));
        const { sameRows, movedRows, differences } = comparePlans(rowsBefore, after, Infinity);
        const count = (side: 'before' | 'after') => differences.reduce((sum, each) => sum + each[side].length, 0);
        expect(count('before') + sameRows + movedRows).toBe(rowsBefore.length);
        expect(count('after') + sameRows + movedRows).toBe(after.length);
        const added = differences.flatMap(({ after: rows }) => rows);
        expect(added).toEqual(
          expect.arrayContaining(after.filter(({ item: { uploadID } }) => uploadID.startsWith('new'))),
        );
      }),
    );
  });
});
