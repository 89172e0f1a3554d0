// The figures of live streams are in one row of their agent. A stream's own row gets the last ones when it ends.
import { expect, it } from 'vitest';
import { figuresPerSecond } from '../../../lambda/publisher/agent/chores.ts';
import { actorsOn } from '../../support/actors.ts';
import { testFleet } from '../../support/prepared-fleet.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const actors = actorsOn(service);
const { fleet, ingest } = testFleet(service, actors);

const statsOf = (id: string) => actors.call('GET', `/streams/${id}/stats`).then(({ body }) => body);

/** Resolves once each of the streams has sent more frames than this. */
async function untilSent(ids: readonly string[], frames: number): Promise<void> {
  const beyond = async () => (await Promise.all(ids.map(statsOf))).filter(({ framesSent }) => framesSent > frames);
  await expect.poll(beyond, { timeout: 120_000 }).toHaveLength(ids.length);
}

/** The last transaction that wrote the row of each stream. */
async function lastWrites(): Promise<unknown[]> {
  return (await service.pool().query('select id, xmin::text from streams order by id')).rows;
}

it('an agent tells the figures of many streams without a write to their rows', async () => {
  fleet().agent('agent');
  const ids: string[] = [];
  for (let index = 0; index < figuresPerSecond + 5; index++)
    ids.push(await fleet().stream({ rtmpURL: ingest().rtmpURL }, `key${index}`));
  await untilSent(ids, 60);
  const written = await lastWrites();
  await untilSent(ids, 200);
  expect(await lastWrites()).toEqual(written);

  // The figures of an ended stream include its last frame.
  const [id] = ids as [string];
  await actors.call('POST', `/streams/${id}/stop`);
  await expect.poll(async () => (await actors.stream(id)).state, { timeout: 5000 }).toBe('stopped');
  const publications = [...ingest().keys.values()].flatMap((facts) => facts.publications);
  const ended = publications.find(({ endedAtMs }) => endedAtMs !== null);
  expect((await statsOf(id)).framesSent).toBe(ended!.pictures);
});
