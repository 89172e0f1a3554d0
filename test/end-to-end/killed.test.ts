// A local run that is killed: nothing of it goes on, nothing is lost, and the next start is live again.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { createLoop, startLocalRun, temporaryDataFolder, until, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { descendantsOf, survivorsOf } from '../support/processes.ts';

const goneWithinMs = 5000;

describe('killed with SIGKILL while a stream is live', { timeout: 60_000 }, () => {
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
    // That there were any to leave: the database, the agent, its encoders.
    expect(before.programs).toEqual(expect.arrayContaining(['postgres', 'ffmpeg']));
    expect(survivors).toEqual([]);
  });

  it('is live again after the next start, further on in its loop', async () => {
    const { api } = second;
    await until(async () => {
      const stream = await api('GET', `/streams/${before.streamID}`);
      return stream.state === 'active' && stream.replicas[0].state === 'live';
    });
    await until(async () => (await api('GET', `/streams/${before.streamID}/stats`)).loopCount >= 1);
    const channels = await (await fetch(`${second.connection.siteURL}/watch/channels`)).json();
    expect(channels).toEqual([expect.objectContaining({ live: true, width: 1280, height: 720 })]);
  });

  it('is live again by itself when only its publisher is killed', async () => {
    const causes = async () =>
      (await second.api('GET', `/streams/${before.streamID}`)).transitions.map(
        ({ cause }: { cause: string }) => cause,
      ) as string[];
    const channel = async () =>
      (
        (await (await fetch(`${second.connection.siteURL}/watch/channels`)).json()) as {
          live: boolean;
          connections: number;
        }[]
      )[0]!;
    const { connections } = await channel();
    const encoders = (await descendantsOf(second.process.pid!)).filter(({ name }) => name === 'ffmpeg');
    const agent = (await descendantsOf(second.process.pid!)).find(
      ({ name }) => name === 'MainThread' || name === 'node',
    )!;
    process.kill(agent.pid, 'SIGKILL');
    expect(await survivorsOf([agent, ...encoders], goneWithinMs)).toEqual([]);
    await until(async () => (await causes())[0] === 'media_interrupted' || (await channel()).connections > connections);
    await until(async () => (await channel()).connections > connections && (await channel()).live);
    await until(async () => (await causes())[0] === 'media_accepted');
    expect((await causes()).slice(0, 3)).toEqual(['media_accepted', 'media_interrupted', 'media_accepted']);
  });

  it('refuses a second run on its data folder, and goes on', async () => {
    await expect(startLocalRun(data.path, '--no-demo')).rejects.toThrow(
      /did not get ready:[^]*already \(process \d+\)/,
    );
    expect((await fetch(`${second.connection.apiURL}/status`)).status).toBe(200);
  });

  it('stops within two seconds, with nothing left of its encoders', async () => {
    const { api } = second;
    const encoders = (await descendantsOf(second.process.pid!)).filter(({ name }) => name === 'ffmpeg');
    expect(encoders).not.toEqual([]);
    await api('POST', `/streams/${before.streamID}/stop`);
    expect(await survivorsOf(encoders, 2000)).toEqual([]);
    await until(async () => (await api('GET', `/streams/${before.streamID}`)).state === 'stopped');
  });
});

it(
  'killed while it makes the demo, it finishes it at the next start, though another has the port of its ingest meanwhile',
  { timeout: 120_000 },
  async () => {
    const data = await temporaryDataFolder();
    onTestFinished(() => data.remove());
    const first = await startLocalRun(data.path);
    await until(async () => (await first.api('GET', '/destinations')).data.length === 2);
    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    const other = createServer().listen(Number(new URL(first.connection.rtmpURL).port || 1935), '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');

    const second = await startLocalRun(data.path);
    expect(second.connection.rtmpURL).not.toBe(first.connection.rtmpURL);
    await until(async () => (await second.api('GET', '/streams')).data[0]?.state === 'active');
    const [stream] = (await second.api('GET', '/streams')).data;
    const destinations = (await second.api('GET', '/destinations')).data;
    expect(destinations.find(({ id }: { id: string }) => id === stream.destinationID)).toMatchObject({
      rtmpURL: second.connection.rtmpURL,
    });
    expect(destinations).toHaveLength(2);
    expect(await second.interrupt()).toBe(0);
  },
);
