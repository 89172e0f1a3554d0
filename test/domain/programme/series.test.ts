// Series over chunks of a plan whose state was stored as JSON, whatever words their groups are named with.
import { expect, it } from 'vitest';
import { plan } from '../../../lambda/domain/programme/planner.ts';
import { stateOfBeginning } from '../../../lambda/domain/programme/planned-row.ts';
import type { PlannerState } from '../../../lambda/domain/programme/planned-row.ts';
import type { PlannableItem } from '../../../lambda/domain/programme/plannable.ts';
import type { PlanRequest } from '../../../lambda/domain/programme/plan-request.ts';
import { block, collection, grid, idsOf, insert, item, midnight, requestOf, rules } from './programmes.ts';

const episodeSeconds = 600;
const stored = (state: PlannerState) => JSON.parse(JSON.stringify(state)) as PlannerState;

/** The uploads of a programme over chunks of its plan. */
async function playedInChunks(
  request: (facts: Partial<PlanRequest>, fromMs: number) => Promise<PlanRequest>,
  chunks: number,
  episodes: number,
): Promise<string[]> {
  const played: string[] = [];
  let state = stateOfBeginning();
  for (let chunk = 0; chunk < chunks; chunk++) {
    const fromMs = midnight + chunk * episodes * episodeSeconds * 1000;
    const planned = plan(await request({ state, grid }, fromMs));
    played.push(...idsOf(planned.rows));
    state = stored(planned.state);
  }
  return played;
}

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'Night radio'];

it.each(names)('plays the episodes of a series that is named %s in their order', async (name) => {
  const series = (group: string) =>
    Array.from({ length: 6 }, (_, index): PlannableItem =>
      item(`${group} ${index + 1}`, episodeSeconds, { folder: group }),
    );
  const programme = rules({ blocks: [block('shows')] });
  const shows = collection([...series(name), ...series('Other')], 'series');
  const request = (facts: Partial<PlanRequest>, fromMs: number) =>
    requestOf(programme, { shows }, { ...facts, fromMs, untilMs: fromMs + 3 * episodeSeconds * 1000 });
  const played = await playedInChunks(request, 4, 3);
  expect(played.filter((id) => id.startsWith(name))).toEqual([1, 2, 3, 4, 5, 6].map((each) => `${name} ${each}`));
});

it.each(names)('plays the episodes of a break whose series is named %s in their order', async (name) => {
  const jingles = Array.from({ length: 6 }, (_, index) => item(`${name} ${index + 1}`, 300, { folder: name }));
  const programme = rules({
    blocks: [block('songs')],
    inserts: [insert('jingle', { when: { everyItems: 1 }, perBreak: 2 })],
  });
  const collections = { songs: collection([item('song', 600)]), jingle: collection(jingles, 'series') };
  const request = (facts: Partial<PlanRequest>, fromMs: number) =>
    requestOf(programme, collections, { ...facts, fromMs, untilMs: fromMs + 2 * episodeSeconds * 1000 });
  const played = await playedInChunks(request, 3, 2);
  expect(played.filter((id) => id.startsWith(name))).toEqual([1, 2, 3, 4, 5, 6].map((each) => `${name} ${each}`));
});
