// The state of a planner over many publishes: it forgets names that rules had long ago, and keeps those of before.
import { expect, it } from 'vitest';
import { forgetNames } from '../../../lambda/domain/programme/forgotten-names.ts';
import { applyRow, stateOfBeginning } from '../../../lambda/domain/programme/planned-row.ts';
import type { PlannerState } from '../../../lambda/domain/programme/planned-row.ts';
import type { ProgrammeRules } from '../../../lambda/domain/programme/programme-rules.ts';
import {
  at,
  block,
  collection,
  days,
  grid,
  hours,
  idsOf,
  insert,
  items,
  midnight,
  planned,
  rules,
  step,
} from './programmes.ts';
import { frameOfMs, msOfFrame } from '../../../lambda/domain/programme/frame-grid.ts';

const songs = collection(
  items('song', 40, () => 300),
  'sequential',
);
const collections = {
  songs,
  jingle: collection(
    items('jingle', 3, () => 10),
    'sequential',
  ),
};

/** A programme whose block has many steps, and whose names begin with a word. */
function namedWith(word: string, steps = 20): ProgrammeRules {
  const from = { collectionID: 'songs' };
  return rules({
    blocks: [
      block(`${word}-block`, {
        steps: Array.from({ length: steps }, (_, index) => step(`${word}-${index}`, { from })),
      }),
    ],
    inserts: [insert(`${word}-insert`, { from: { collectionID: 'jingle' }, when: { everyItems: 2 } })],
  });
}

/** Plays published rules for some hours. @returns the uploads, and the state as it is stored */
async function play(programme: ProgrammeRules, state: PlannerState, fromMs: number, count: number) {
  const history = structuredClone(state);
  forgetNames(history, programme);
  const untilMs = fromMs + hours(count);
  const { rows } = await planned(programme, collections, { state: history, fromMs, untilMs });
  for (const row of rows) {
    const startMs = msOfFrame(grid, row.startFrame);
    const timed = { row, startMs, endMs: msOfFrame(grid, row.startFrame + row.frameCount) };
    applyRow(
      history,
      timed,
      programme.blocks.find(({ id }) => id === row.blockID),
    );
  }
  expect(rows.at(-1)!.startFrame).toBeLessThan(frameOfMs(grid, untilMs));
  return { played: idsOf(rows), state: JSON.parse(JSON.stringify(history)) as PlannerState };
}

const sizeOf = (state: PlannerState) => JSON.stringify(state).length;

it('stays bounded over a hundred publishes of other names', async () => {
  let state = stateOfBeginning();
  const sizes: number[] = [];
  for (let publish = 0; publish < 100; publish++) {
    ({ state } = await play(namedWith(`p${publish + 100}`), state, midnight + hours(2 * publish), 2));
    sizes.push(sizeOf(state));
  }
  expect(sizes[99]! / sizes[49]!).toBeCloseTo(1, 1);
});

it('keeps the places of names that the rules still have, however many others came and went', async () => {
  const own = { ...namedWith('own', 1).blocks[0]!, priority: 90, hours: at('00:00', 60) };
  const songs: string[] = [];
  let state = stateOfBeginning();
  for (let publish = 0; publish < 40; publish++) {
    const others = namedWith(`p${publish}`);
    const programme = { ...others, inserts: [], blocks: [...others.blocks, own] };
    const result = await play(programme, state, midnight + days(publish), 3);
    songs.push(...result.played.slice(0, 12));
    state = result.state;
  }
  expect(songs).toEqual(Array.from({ length: 480 }, (_, index) => `song${index % 40}`));
});

it('has each list at its place again when an edit of many names is taken back', async () => {
  const before = await play(namedWith('before', 1), stateOfBeginning(), midnight, 1);
  const between = await play(namedWith('between'), before.state, midnight + hours(1), 2);
  const after = await play(namedWith('before', 1), between.state, midnight + hours(3), 1);
  const songsOf = ({ played }: { readonly played: string[] }) => played.filter((id) => id.startsWith('song'));
  expect(songsOf(after)[0]).toBe(`song${songsOf(before).length}`);
});
