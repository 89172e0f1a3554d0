// The figures of many streams are in one row of their agent, and the last ones of a stream in its own when it ends.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { figuresPerSecond } from '../../lambda/publisher/agent.ts';
import { actorsOn } from '../orchestration/actors.ts';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import { preparedFleet } from '../support/prepared-fleet.ts';
import { testService } from '../support/service.ts';

const service = testService();
const actors = actorsOn(service);
let fleet: Awaited<ReturnType<typeof preparedFleet>>;
beforeAll(async () => {
  fleet = await preparedFleet(service, actors);
});
afterAll(() => fleet.close());

it(
  'are there of every stream of an agent that has many, without a write to their rows, and at the end to the last frame',
  { timeout: 60_000 },
  async () => {
    const ingest = await startFaultyIngest();
    onTestFinished(() => ingest[Symbol.asyncDispose]());
    fleet.agent('agent');
    const ids: string[] = [];
    for (let index = 0; index < figuresPerSecond + 5; index++)
      ids.push(await fleet.stream({ rtmpURL: ingest.rtmpURL }, `key${index}`));
    const statsOf = (id: string) => actors.call('GET', `/streams/${id}/stats`).then(({ body }) => body);
    const versions = async () => (await service.pool().query('select id, xmin::text from streams order by id')).rows;
    await expect
      .poll(async () => (await Promise.all(ids.map(statsOf))).filter(({ framesSent }) => framesSent > 60), {
        timeout: 30_000,
      })
      .toHaveLength(ids.length);
    const written = await versions();
    await expect
      .poll(async () => (await Promise.all(ids.map(statsOf))).filter(({ framesSent }) => framesSent > 200), {
        timeout: 30_000,
      })
      .toHaveLength(ids.length);
    expect(await versions()).toEqual(written);

    const [id] = ids as [string];
    await actors.call('POST', `/streams/${id}/stop`);
    await expect.poll(async () => (await actors.stream(id)).state, { timeout: 5000 }).toBe('stopped');
    const ended = [...ingest.keys.values()]
      .flatMap(({ publications }) => publications)
      .find(({ endedAtMs }) => endedAtMs !== null);
    expect((await statsOf(id)).framesSent).toBe(ended!.pictures);
  },
);
