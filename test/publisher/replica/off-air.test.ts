// A replica whose destination accepts nothing returns its share of the agent, and is abandoned after hours.
import { expect, it, onTestFinished } from 'vitest';
import { failsAfterMs, keepsShareMs, keepsShareWhileSlowMs } from '../../../lambda/domain/fleet/off-air.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { HeldReplica } from '../../../lambda/publisher/replica/held-replica.ts';
import type { AgentRoom, Resumed } from '../../../lambda/publisher/replica/held-share.ts';
import type { Report } from '../../../lambda/publisher/replica/latest-report.ts';
import type { Sending, StreamMedia } from '../../../lambda/publisher/replica/stream-media.ts';
import { freePort } from '../../support/ingests.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';
import type { Script } from '../rtmp/scripted-server.ts';
import { replicaRow, roomyAgent } from './replica-row.ts';

/** Media that is accepted as soon as it is sent, until the connection ends. */
function someMedia() {
  const opened: Sending[] = [];
  const media: StreamMedia = {
    profile: profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' }),
    startUpMs: 0,
    open: async () => ({
      startFrame: 0,
      sequenceHeaders: [],
      send: async (sending) => {
        opened.push(sending);
        sending.onEvidence();
        const failure = await sending.publisher.ended;
        if (failure) throw failure;
      },
      close: async () => {},
    }),
  };
  return { media, opened };
}

interface Began {
  readonly room: AgentRoom;
  readonly resumed: Resumed | null;
}

/** Begins to publish, as an agent that claims a replica that has been failing for some time. */
function begin(
  rtmpURL: string,
  { failingForMs = 0, room = roomyAgent().room, resumed = null }: Partial<Began> & { failingForMs?: number },
) {
  const reports: Report[] = [];
  const { media, opened } = someMedia();
  const now = new Date();
  const run = new HeldReplica({
    ...roomyAgent(),
    resumed,
    replica: {
      ...replicaRow('manifest'),
      since: now,
      failing_since: failingForMs === 0 ? null : new Date(now.getTime() - failingForMs),
    },
    loadPlan: async () => ({
      userID: 'usr',
      target: { way: 'rtmp', url: rtmpURL, streamKey: 'key' },
      freeTarget: null,
      media,
      elapsedMs: null,
    }),
    anchor: async () => 0,
    client: { allowPrivateAddresses: true, connectTimeoutMs: 5000 },
    report: async (report) => {
      reports.push(report);
      return true;
    },
    room,
    share: 0.5,
    steadyClock: () => performance.now(),
    random: () => 0,
    log: () => {},
  });
  onTestFinished(() => run.end());
  const words = () => reports.map(({ state, reason }) => reason?.code ?? state);
  const until = async (isSo: () => boolean) => {
    await expect.poll(isSo, { interval: 10, timeout: 10_000 }).toBe(true);
  };
  return { run, reports, words, opened, until };
}

async function serve(script: Script = {}, port = 0) {
  const server = await startScriptedServer(script, port);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const nobody = async () => `rtmp://127.0.0.1:${await freePort()}/live`;
const denied = { level: 'error', code: 'NetStream.Publish.Denied', description: 'no such key' };

it('holds its share at first', async () => {
  const { run, until, words } = begin(await nobody(), {});
  await until(() => words().includes('unreachable'));
  expect(run.share).toBe(0.5);
});

it('gives its share back after minutes, and opens no media for a destination that takes nothing', async () => {
  const server = await serve({ publish: ({ reply }) => reply('onStatus', 0, null, denied) });
  const { run, until, words, opened } = begin(server.rtmpURL, { failingForMs: keepsShareMs });
  expect(run.share).toBe(0.5);
  await until(() => words().includes('key_refused'));
  expect(run.share).toBe(0);
  expect(opened).toEqual([]);
});

it('takes it again once the destination waits for media', async () => {
  const port = await freePort();
  const { run, until, words } = begin(`rtmp://127.0.0.1:${port}/live`, { failingForMs: keepsShareMs });
  await until(() => words().includes('unreachable') && run.share === 0);
  const server = await serve({}, port);
  await until(() => words().at(-1) === 'live');
  expect(run.share).toBe(0.5);
  expect(server.connections).toHaveLength(1);
});

it('leaves for another agent where others have taken it', async () => {
  const port = await freePort();
  let hasLeft = false;
  const room: AgentRoom = { take: async () => false, leave: () => (hasLeft = true) };
  const { run, until, words, opened } = begin(`rtmp://127.0.0.1:${port}/live`, { failingForMs: keepsShareMs, room });
  await until(() => words().includes('unreachable') && run.share === 0);
  await serve({}, port);
  await until(() => hasLeft);
  expect(words().at(-1)).toBe('no_capacity');
  expect(opened).toEqual([]);
});

/** An agent whose room other streams have taken. */
function fullAgent() {
  const asked: number[] = [];
  const left = Promise.withResolvers<void>();
  const room: AgentRoom = {
    take: async (share) => {
      asked.push(share);
      return false;
    },
    leave: () => left.resolve(),
  };
  return { room, asked, left: left.promise };
}

it.each([
  ['after minutes off the air', keepsShareMs + 1, null],
  ['that it did not hold any more', 1000, 0],
  ['that has grown meanwhile', 1000, 0.3],
])('asks for room for a share %s, when its user has it retried', async (_, failingForMs, heldShare) => {
  const server = await serve();
  const { room, asked, left } = fullAgent();
  const { run, words, opened } = begin(server.rtmpURL, { failingForMs, room, resumed: { heldShare } });
  expect(run.share).toBe(0);
  await left;
  expect(asked).toEqual([0.5]);
  expect(opened).toEqual([]);
  expect(words()).toEqual(['no_capacity']);
});

it('asks for none while it holds its share, when its user has it retried', async () => {
  const server = await serve();
  const { room, asked } = fullAgent();
  const { run, until, words } = begin(server.rtmpURL, { failingForMs: 1000, room, resumed: { heldShare: 0.5 } });
  expect(run.share).toBe(0.5);
  await until(() => words().includes('live'));
  expect(asked).toEqual([]);
});

it('is given up after hours, in words that say why and what to do', async () => {
  const { reports, until } = begin(await nobody(), { failingForMs: failsAfterMs });
  await until(() => reports.length > 0);
  expect(reports[0]).toMatchObject({ state: 'failing', hopeless: true, reason: { code: 'given_up' } });
  expect(reports[0]!.reason!.detail).toBe(
    'The destination took no media for 6 hours. The last error: ' +
      "No server accepts connections at the destination's address and port. Fix this, and start the stream again.",
  );
});

it('does not go on for ever at a destination that takes less than the stream has', async () => {
  const server = await serve();
  const { run, until, words, opened } = begin(server.rtmpURL, { failingForMs: keepsShareWhileSlowMs });
  await until(() => words().includes('live'));
  opened[0]!.onSlow('destination');
  await until(() => run.share === 0);
  expect(words()).toEqual(['live', 'too_slow', 'too_slow']);
  await server.connections[0]!.connection.ended;
});
