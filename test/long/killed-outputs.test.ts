// An agent with fifty streams of four outputs is killed: every output returns, and no key has two publishers.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { KeyFacts } from '../support/faulty-ingest.ts';
import { startMachines } from '../support/machines.ts';

const [streamCount, outputCount] = [50, 4];
const keysOf = (stream: number) => Array.from({ length: outputCount }, (_, output) => `stream${stream}-${output}`);
const keys = Array.from({ length: streamCount }, (_, stream) => keysOf(stream)).flat();

it('every output of fifty streams of a killed agent is back', { timeout: 600_000 }, async () => {
  const ingest = fork(join(import.meta.dirname, '../support/faulty-ingest-process.ts'));
  onTestFinished(() => void ingest.kill('SIGKILL'));
  const [{ rtmpURL }] = (await once(ingest, 'message')) as [{ rtmpURL: string }];
  const facts = async (): Promise<ReadonlyMap<string, KeyFacts>> => {
    ingest.send('facts');
    return new Map(((await once(ingest, 'message')) as [{ keys: [string, KeyFacts][] }])[0].keys);
  };
  /** Number of outputs without a picture on an open connection. */
  const dark = async () => {
    const known = await facts();
    return keys.filter((key) => {
      const last = known.get(`live/${key}`)?.publications.at(-1);
      return !(last?.endedAtMs === null && last.pictures > 30);
    });
  };

  // One agent holds all of them; its supervisor starts the agent that takes over.
  await using fleet = await startMachines(['one'], 2 * keys.length);
  const { api } = fleet.run;
  for (let stream = 0; stream < streamCount; stream++) {
    const [firstKey, ...others] = keysOf(stream);
    const id = await fleet.stream(firstKey!, { rtmpURL });
    for (const streamKey of others) {
      const { id: destinationID } = await api('POST', '/destinations', { name: streamKey, rtmpURL, streamKey });
      await api('POST', `/streams/${id}/outputs`, { destinationID });
    }
  }
  await expect.poll(dark, { timeout: 240_000, interval: 1000 }).toEqual([]);

  const held = async () => {
    const { rows } = await fleet.pool.query<{ machine: string; count: number }>(
      `select split_part(a.supervisor, '/', 1) as machine, count(*)::int as count
       from agents a join replicas r on r.agent_id = a.id where a.lease_expires_at > now() group by 1 order by 2 desc`,
    );
    return rows;
  };
  const [victim] = await held();
  const before = await facts();
  const connections = (known: ReadonlyMap<string, KeyFacts>) =>
    keys.reduce((sum, key) => sum + known.get(`live/${key}`)!.publications.length, 0);
  const killedAtMs = await fleet.kill(victim!.machine, 'agent');
  // Each held output has another connection, and then all have pictures.
  const lost = victim!.count;
  expect(lost).toBeGreaterThan(0);
  const anew = async () => connections(await facts()) - connections(before);
  await expect.poll(anew, { timeout: 120_000, interval: 200 }).toBeGreaterThanOrEqual(lost);
  await expect.poll(dark, { timeout: 120_000, interval: 200 }).toEqual([]);
  console.log(
    `${lost} of ${keys.length} outputs were lost, and back after ${Math.round(performance.now() - killedAtMs)} ms`,
  );
  const known = await facts();
  expect(keys.filter((key) => known.get(`live/${key}`)!.mostAtOnce > 1)).toEqual([]);
});
