// A killed local run leaves no process behind and loses nothing, and the next one is live again.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import {
  createLoop,
  startLocalRun,
  temporaryDataFolder,
  until,
  uploadFile,
  watchChannels,
} from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { descendantsOf, nodeProcessesOf, survivorsOf } from '../support/processes.ts';
import type { ProcessIdentity } from '../support/processes.ts';

const goneWithinMs = 5000;

describe('a local run that was killed with SIGKILL while a stream was live', { timeout: 60_000 }, () => {
  let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
  let survivors: string[];
  let before: { streamID: string; programs: string[]; framesSent: number };
  let second: LocalRun;

  beforeAll(async () => {
    await findMediaTools(process.env);
    data = await temporaryDataFolder();
    const first = await startLocalRun(data.path, '--no-demo');
    const { api } = first;
    const upload = await uploadFile(api, await mediaSample('plain.mp4'), 'video/mp4');
    const streamID = await createLoop(api, [upload], { rtmpURL: first.connection.rtmpURL, streamKey: 'mine' });
    await api('POST', `/streams/${streamID}/start`);
    await until(async () => (await api('GET', `/streams/${streamID}/stats`)).framesSent > 30);
    const processes = await descendantsOf(first.process.pid!);
    before = {
      streamID,
      programs: processes.map(({ name }) => name),
      framesSent: (await api('GET', `/streams/${streamID}/stats`)).framesSent,
    };
    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    survivors = await survivorsOf(processes, goneWithinMs);
    second = await startLocalRun(data.path, '--no-demo');
  }, 60_000);
  afterAll(async () => {
    expect(await second.interrupt()).toBe(0);
    await data.remove();
  });

  it('leaves no process behind', () => {
    // There were processes that could remain: the database, the agent, its encoders.
    expect(before.programs).toEqual(expect.arrayContaining(['postgres', 'ffmpeg']));
    expect(survivors).toEqual([]);
  });

  it('is live again after the next start, further on in the loop of the stream', async () => {
    const { api } = second;
    await until(async () => {
      const stream = await api('GET', `/streams/${before.streamID}`);
      return stream.state === 'active' && stream.replicas[0].state === 'live';
    });
    await until(async () => (await api('GET', `/streams/${before.streamID}/stats`)).loopCount >= 1);
    expect(await watchChannels(second)).toMatchObject([{ live: true, width: 1280, height: 720 }]);
  });

  it('is live again by itself when only its agent is killed', async () => {
    const causes = async (): Promise<string[]> => {
      const { transitions } = await second.api('GET', `/streams/${before.streamID}`);
      return transitions.map(({ cause }: { cause: string }) => cause);
    };
    const channel = async () => (await watchChannels(second))[0]!;
    const { connections } = await channel();
    const encoders = (await descendantsOf(second.process.pid!)).filter(({ name }) => name === 'ffmpeg');
    const [agent] = (await nodeProcessesOf(second.process.pid!)) as [ProcessIdentity];
    process.kill(agent.pid, 'SIGKILL');
    expect(await survivorsOf([agent, ...encoders], goneWithinMs)).toEqual([]);
    await until(async () => (await causes())[0] === 'media_interrupted' || (await channel()).connections > connections);
    await until(async () => (await channel()).connections > connections && (await channel()).live);
    await until(async () => (await causes())[0] === 'media_accepted');
    expect((await causes()).slice(0, 3)).toEqual(['media_accepted', 'media_interrupted', 'media_accepted']);
  });

  it('refuses a second run on its data folder, and goes on', async () => {
    const refusal = /did not get ready:[^]*Another local run uses this data folder: .* \(process \d+\)/;
    await expect(startLocalRun(data.path, '--no-demo')).rejects.toThrow(refusal);
    expect((await fetch(`${second.connection.apiURL}/status`)).status).toBe(200);
  });

  it('stops a stream within two seconds, and leaves none of its encoders', async () => {
    const { api } = second;
    const encoders = (await descendantsOf(second.process.pid!)).filter(({ name }) => name === 'ffmpeg');
    expect(encoders).not.toEqual([]);
    await api('POST', `/streams/${before.streamID}/stop`);
    expect(await survivorsOf(encoders, 2000)).toEqual([]);
    await until(async () => (await api('GET', `/streams/${before.streamID}`)).state === 'stopped');
  });
});

it(
  'a local run that was killed while it made the demo finishes it at the next start, with another RTMP port',
  { timeout: 120_000 },
  async () => {
    const data = await temporaryDataFolder();
    onTestFinished(() => data.remove());
    const first = await startLocalRun(data.path);
    await until(async () => (await first.api('GET', '/destinations')).data.length === 2);
    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    // Another program takes the port of the ingest meanwhile.
    const other = createServer().listen(Number(new URL(first.connection.rtmpURL).port || 1935), '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');

    const second = await startLocalRun(data.path);
    expect(second.connection.rtmpURL).not.toBe(first.connection.rtmpURL);
    await until(async () => (await second.api('GET', '/streams')).data[0]?.state === 'active');
    const [stream] = (await second.api('GET', '/streams')).data;
    const destinations = (await second.api('GET', '/destinations')).data;
    const destination = destinations.find(({ id }: { id: string }) => id === stream.destinationID);
    expect(destination).toMatchObject({ rtmpURL: second.connection.rtmpURL });
    expect(destinations).toHaveLength(2);
    expect(await second.interrupt()).toBe(0);
  },
);
