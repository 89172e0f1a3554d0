// The work of searches for starts: they are counted in the budget of a call, and a range that takes long ends sooner.
import { describe, expect, it } from 'vitest';
import { withPlanningBudget } from '../../../lambda/orchestration/programme/planning-turns.ts';
import { occurrencesOf } from '../../../lambda/orchestration/schedule/occurrences.ts';
import { plannedTimes } from '../../../lambda/orchestration/schedule/planned-times.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { call, create, data, user } = actorsOn(service);
const hourMs = 3_600_000;
const first = new Date('2030-01-01T00:00:00Z');
const hoursLater = (hours: number) => new Date(first.getTime() + hours * hourMs);

async function hourly() {
  const id = await create('/streams', { streamDuration: 60 });
  const recurrence = { rule: 'FREQ=HOURLY', timeZone: 'UTC' };
  const { status } = await call('POST', `/streams/${id}/schedule`, { scheduleStartAt: first, recurrence });
  expect(status).toBe(200);
  return (await data().streams.find(user().id, id))!;
}

/** A clock that shows so many ms more each time that it is read. */
function clockOf(stepMs: number): () => number {
  let ms = 0;
  return () => (ms += stepMs);
}

/** Data with a budget that so many turns remain of. */
function budgeted(turns = Infinity) {
  const used = { ms: 0, turns: 0 };
  const assertMayContinue = async () => {
    if (used.turns++ === turns) throw new Error('over');
  };
  const use = (ms: number) => void (used.ms += ms);
  return { used, data: withPlanningBudget(data(), { use, useDatabase: use, assertMayContinue }) };
}

describe('the occurrences of a range', () => {
  it('take a turn each, and end with the budget of the call', async () => {
    const stream = await hourly();
    const range = { from: first, to: hoursLater(100) };
    const whole = budgeted();
    expect((await occurrencesOf(whole.data, [stream], range)).occurrences).toHaveLength(100);
    expect(whole.used.turns).toBeGreaterThan(90);
    expect(whole.used.ms).toBeGreaterThan(0);
    await expect(occurrencesOf(budgeted(20).data, [stream], range)).rejects.toThrow('over');
  });

  it('end sooner if their search takes long, and continue there without a gap', async () => {
    const stream = await hourly();
    const to = hoursLater(40);
    const starts: Date[] = [];
    let [from, answers] = [first, 0];
    for (; from < to; answers++) {
      const { used, data: own } = budgeted();
      const found = await occurrencesOf(own, [stream], { from, to }, clockOf(50));
      expect(used.ms).toBeLessThan(400);
      expect(found.to.getTime()).toBeGreaterThan(from.getTime());
      starts.push(...found.occurrences.map(({ startAt }) => startAt).filter((startAt) => startAt >= from));
      from = found.to;
    }
    expect(answers).toBeGreaterThan(5);
    expect(starts).toEqual(Array.from({ length: 40 }, (_, hour) => hoursLater(hour)));
  });
});

describe('the planned runs of a range', () => {
  const query = { to: hoursLater(40), count: 1000, now: new Date('2029-12-31T00:00:00Z'), plannedAt: null };

  it('take a turn each, and end with the budget of the call', async () => {
    const stream = await hourly();
    const whole = budgeted();
    expect((await plannedTimes(whole.data, stream, { ...query, from: first })).times).toHaveLength(40);
    expect(whole.used.turns).toBeGreaterThan(35);
    expect(whole.used.ms).toBeGreaterThan(0);
    await expect(plannedTimes(budgeted(20).data, stream, { ...query, from: first })).rejects.toThrow('over');
  });

  it('end sooner if their search takes long, and continue there without a gap', async () => {
    const stream = await hourly();
    const starts: Date[] = [];
    let [from, answers]: [Date | null, number] = [first, 0];
    for (; from !== null; answers++) {
      const { used, data: own } = budgeted();
      const found = await plannedTimes(own, stream, { ...query, from }, clockOf(50));
      expect(used.ms).toBeLessThan(400);
      expect(found.to?.getTime() ?? Infinity).toBeGreaterThan(from.getTime());
      starts.push(...found.times.map(({ startAt }) => startAt));
      from = found.to;
    }
    expect(answers).toBeGreaterThan(5);
    expect(starts).toEqual(Array.from({ length: 40 }, (_, hour) => hoursLater(hour)));
  });
});
