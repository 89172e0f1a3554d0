// A held replica survives faults of its destination, media and database. ffmpeg and the RTMP client are real.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { backoffMs } from '../../../lambda/publisher/replica/backoff.ts';
import { encodedMedia } from '../../../lambda/publisher/encoded/encoded-media.ts';
import { SharedEncoders } from '../../../lambda/publisher/encoded/shared-encoder.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { connecting } from '../../../lambda/domain/shared/outbound-limits.ts';
import { ConnectionTurns } from '../../../lambda/publisher/replica/connection-turns.ts';
import type { Connecting } from '../../../lambda/publisher/replica/connection-turns.ts';
import { HeldReplica } from '../../../lambda/publisher/replica/held-replica.ts';
import type { HeldReplicaOptions } from '../../../lambda/publisher/replica/held-replica.ts';
import type { Report } from '../../../lambda/publisher/replica/latest-report.ts';
import { readCommand } from '../../../lambda/publisher/rtmp/command.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { messageType } from '../../../lambda/publisher/rtmp/message.ts';
import { makeCertificate } from '../../support/certificates.ts';
import { fastEncoder, mediaSample, writtenFile } from '../../support/media-samples.ts';
import { descendantsOf, survivorsOf } from '../../support/processes.ts';
import { steps } from '../../support/recording.ts';
import { samplesOfFile } from '../../support/test-samples.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';
import type { Script, ScriptedServer } from '../rtmp/scripted-server.ts';
import { replicaRow, roomyAgent } from './replica-row.ts';

const tools = await findMediaTools(process.env);
const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' });
const minuteMs = 60_000;
/** Slow-down factor of the clock of streams, so that even a busy machine encodes faster than they play. */
const slowness = 3;
const steadyClock = () => performance.now() / slowness;
/** Generous timeout, because these tests assert no durations. */
const patienceMs = 2 * minuteMs;
const testTimeoutMs = 4 * minuteMs;

const samples = samplesOfFile();
let clip: string;
beforeAll(async () => {
  clip = await mediaSample('plain.mp4');
});

interface Begin extends Partial<HeldReplicaOptions> {
  readonly rtmpURL: string;
  /** Paths of the files to loop. */
  readonly files?: readonly string[];
  /** Playing time of each file; if it is longer than the file, the last picture stays. */
  readonly itemSeconds?: number;
  readonly connectTimeoutMs?: number;
  /** Delays the database's first answer. */
  readonly planned?: Promise<void>;
  /** Delays every answer of the database; its failure fails the query. */
  readonly unlessAway?: () => Promise<void>;
}

/** Holds a replica until the end of the test at the latest. @returns the replica, and its reports */
function begin({
  rtmpURL,
  files = [clip],
  itemSeconds = 1,
  connectTimeoutMs = 10_000,
  planned,
  unlessAway = async () => {},
  ...more
}: Begin) {
  const reports: Report[] = [];
  const told: string[] = [];
  const logged: string[] = [];
  const items = files.map((path, index): TimelineItem => ({
    itemID: `item_${index}`,
    uploadID: `upl_${index}`,
    name: path,
    objectKey: path,
    kind: 'video',
    durationSeconds: itemSeconds,
    hasAudio: true,
  }));
  const snapshot = { mode: 'sequential' as const, seed: 1, items };
  const video = [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot }];
  let anchoredMs: number | null = null;
  const encoders = new SharedEncoders();
  const log = (event: string) => void logged.push(event);
  const run = new HeldReplica({
    replica: replicaRow('ffmpeg'),
    share: 0.1,
    loadPlan: async () => {
      await planned;
      await unlessAway();
      return {
        userID: 'usr',
        target: { way: 'rtmp', url: rtmpURL, streamKey: 'key' },
        freeTarget: null,
        media: encodedMedia({
          encoders,
          encoderKey: 'stream',
          tools,
          profile,
          log,
          encoder: () => fastEncoder,
          loadTimelines: async () => ({ video, audio: [] }),
          urlOf: async (path) => samples.urlOf(path),
          captionsOf: async () => null,
          anchoredAtMs: async () => 0,
        }),
        elapsedMs: anchoredMs === null ? null : steadyClock() - anchoredMs,
      };
    },
    anchor: async () => {
      await unlessAway();
      return steadyClock() - (anchoredMs ??= steadyClock());
    },
    client: { allowPrivateAddresses: true, connectTimeoutMs },
    report: async (report) => {
      told.push(report.reason?.code ?? report.state);
      // On a busy machine a live stream may warn that it is late.
      const isWarning = report.state === 'live' && reports.at(-1)?.state === 'live';
      if (!isWarning) reports.push(report);
      return true;
    },
    steadyClock,
    random: () => 0,
    log,
    ...roomyAgent(),
    ...more,
  });
  onTestFinished(() => run.end());
  return {
    run,
    /** The reports without warnings of a live stream. */
    reports,
    told,
    logged,
    sinceAnchorMs: () => steadyClock() - anchoredMs!,
    states: () => reports.map(({ state, reason }) => reason?.code ?? state),
  };
}

async function ingest(script?: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** Starts a server that does not speak RTMP. @returns its RTMP address */
async function strangeServer(onConnection: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(onConnection);
  return `rtmp://127.0.0.1:${await listen(server)}/live`;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { interval: 10, timeout: patienceMs }).toBe(true);
}

async function ownFfmpegs() {
  return (await descendantsOf(process.pid)).filter(({ name }) => name.startsWith('ffmpeg'));
}

function pictures(messages: readonly RtmpMessage[]): RtmpMessage[] {
  return messages.filter(({ type, payload }) => type === messageType.video && payload[1] === 1);
}

const denied = { level: 'error', code: 'NetStream.Publish.Denied', description: 'Stream key is invalid' };
const refusing: Script = { publish: ({ reply }) => reply('onStatus', 0, null, denied) };

describe('a destination', { timeout: testTimeoutMs }, () => {
  it('that resets the connection is reported, and live again from the present on', async () => {
    const server = await ingest();
    const { run, reports, states } = begin({ rtmpURL: server.rtmpURL });
    const picturesOf = (index: number) => pictures(server.connections[index]?.received ?? []);
    await until(() => states().join() === 'live' && picturesOf(0).length > 30);
    server.connections[0]!.socket.resetAndDestroy();
    await until(() => states().join() === 'live,connection_lost,live' && picturesOf(1).length > 0);
    const claim = { id: 'rep', agent_id: 'agent', epoch: 1 };
    expect(reports[1]).toMatchObject({ state: 'failing', hopeless: false, claim });
    expect(server.connections).toHaveLength(2);
    expect(picturesOf(1)[0]!.timestampMs).toBe(0);
    const figures = run.figures.sample(steadyClock(), new Date(), 30);
    expect(figures.reconnects).toBe(1);
    expect(figures.droppedFrames).toBeGreaterThan(0);
  });

  it('is connected to once the user has a turn', async () => {
    const server = await ingest();
    let isAsked = false;
    class NotingTurns extends ConnectionTurns {
      override take(who: Connecting, signal: AbortSignal) {
        isAsked ||= who.host === '127.0.0.1';
        return super.take(who, signal);
      }
    }
    const turns = new NotingTurns();
    const elsewhere = { userID: 'usr', host: 'elsewhere.example', way: 'rtmp' as const, isResting: false };
    const take = () => turns.take(elsewhere, new AbortController().signal);
    const [end] = await Promise.all(Array.from({ length: connecting.mostOfUser }, take));
    const { states } = begin({ rtmpURL: server.rtmpURL, turns });
    await until(() => isAsked || server.connections.length > 0);
    expect(server.connections).toEqual([]);
    end!();
    await until(() => states().join() === 'live');
  });

  it('behind TLS gets the stream too', async ({ skip }) => {
    const server = await ingest();
    const certificate = await makeCertificate('DNS:localhost');
    if (!certificate) return skip('needs openssl');
    const decrypting = createTlsServer(certificate, (secure) => {
      const plain = connect(server.port, '127.0.0.1').on('error', () => secure.destroy());
      secure.on('error', () => plain.destroy());
      secure.pipe(plain).pipe(secure);
    });
    const port = await listen(decrypting);
    const client = { allowPrivateAddresses: true, connectTimeoutMs: 5000, tlsCa: certificate.cert };
    const { states } = begin({ rtmpURL: `rtmps://localhost:${port}/live`, client });
    await until(() => states().length > 0);
    expect(states()).toEqual(['live']);
  });

  it.each([
    [14, false],
    [16, true],
  ])('that refuses the key for %i minutes is reported with hopeless: %s', async (minutes, hopeless) => {
    let passedMs = 0;
    const server = await ingest({
      publish: (served, command) => {
        passedMs += minutes * minuteMs;
        refusing['publish']!(served, command);
      },
    });
    const { reports } = begin({ rtmpURL: server.rtmpURL, steadyClock: () => steadyClock() + passedMs });
    await until(() => reports.length > 0);
    expect(reports).toMatchObject([{ state: 'failing', reason: { code: 'key_refused' }, hopeless }]);
    expect(server.connections).toHaveLength(1);
  });

  it('that answers with garbage is reported as one that does not speak RTMP', async () => {
    const rtmpURL = await strangeServer(
      (socket) => void socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(200)),
    );
    const { reports } = begin({ rtmpURL });
    await until(() => reports.length > 1);
    expect(reports[0]).toMatchObject({ state: 'failing', reason: { code: 'handshake_failed' }, hopeless: false });
  });

  it('that never answers is reported as timed out, and asked again', async () => {
    let connections = 0;
    const rtmpURL = await strangeServer((socket) => {
      connections++;
      socket.on('error', () => {});
    });
    const { states } = begin({ rtmpURL, connectTimeoutMs: 200 });
    await until(() => connections === 2);
    expect(states()[0]).toBe('timed_out');
  });
});

describe('a connection whose time is over', { timeout: testTimeoutMs }, () => {
  it('is replaced at a keyframe without a lost frame, and nothing is reported', async () => {
    const server = await ingest();
    let connections = 0;
    const frames: number[] = [];
    const { run, states, reports } = begin({
      rtmpURL: server.rtmpURL,
      connectionEndsAfterMs: () => (++connections < 3 ? 3000 : Infinity),
      log: (event, fields) => void (event === 'session_replaced' && frames.push(fields['frame'] as number)),
    });
    await until(() => pictures(server.connections[2]?.received ?? []).length > 60);
    expect(new Set(states())).toEqual(new Set(['live']));
    expect(reports.every(({ reason }) => reason === null)).toBe(true);
    expect(run.figures.sample(steadyClock(), new Date(), 30)).toMatchObject({ reconnects: 0, droppedFrames: 0 });
    const received = server.connections.map((connection) => pictures(connection.received));
    expect(received.map((each) => each.length).slice(0, 2)).toEqual([frames[0], frames[1]! - frames[0]!]);
    for (const each of received) {
      expect(each[0]!.payload[0]! >> 4).toBe(1);
      expect(steps(each.map(({ timestampMs }) => timestampMs))).toEqual([33, 34]);
    }
    const commands = server.connections[0]!.received.map((message) => readCommand(message)?.name);
    const names = commands.filter((name) => name !== undefined);
    expect(names.slice(-2)).toEqual(['FCUnpublish', 'deleteStream']);
  });

  it('is replaced by one that plays what is due, even when connecting took long', async () => {
    const started = { level: 'status', code: 'NetStream.Publish.Start' };
    const server = await ingest({
      publish: ({ reply }) => void setTimeout(1000 * slowness).then(() => reply('onStatus', 0, null, started)),
    });
    let connections = 0;
    const { run, states, sinceAnchorMs } = begin({
      rtmpURL: server.rtmpURL,
      connectionEndsAfterMs: () => (++connections < 3 ? 1000 : Infinity),
    });
    await until(() => pictures(server.connections[2]?.received ?? []).length > 60);
    const playedMs = () => {
      const { framesSent, droppedFrames } = run.figures.sample(steadyClock(), new Date(), 30);
      return (framesSent + droppedFrames) * (1000 / 30);
    };
    // A sender that resumed at the end of the previous connection would be late for ever.
    await until(() => sinceAnchorMs() - playedMs() < 700);
    expect(new Set(states())).toEqual(new Set(['live']));
  });

  it('is replaced while the database does not answer, too, and the stream does not wait for it', async () => {
    const server = await ingest();
    let connections = 0;
    const made: ReturnType<typeof begin> | undefined = begin({
      rtmpURL: server.rtmpURL,
      connectionEndsAfterMs: () => (++connections === 1 ? 3000 : Infinity),
      unlessAway: async () => {
        if (made?.states().includes('live'))
          await setTimeout(6000 * slowness).then(() => Promise.reject(new Error('no answer')));
      },
    });
    await until(() => pictures(server.connections[1]?.received ?? []).length > 30);
    expect(new Set(made.states())).toEqual(new Set(['live']));
    const figures = made.run.figures.sample(steadyClock(), new Date(), 30);
    expect(figures).toMatchObject({ reconnects: 0, droppedFrames: 0 });
    // The database was asked during this time, which is longer than the connection was planned to last.
    expect(pictures(server.connections[0]!.received).length).toBeGreaterThan(6 * 30);
  });

  it('is made anew at the present when it is lost before the next one stands', async () => {
    const server = await ingest();
    let connections = 0;
    const { run, states } = begin({
      rtmpURL: server.rtmpURL,
      connectionEndsAfterMs: () => (++connections === 1 ? 3000 : Infinity),
      log: (event) => void (event === 'session_replaced' && server.connections[0]!.socket.resetAndDestroy()),
    });
    await until(() => pictures(server.connections[1]?.received ?? []).length > 30);
    expect(states()).toEqual(['live', 'connection_lost', 'live']);
    expect(run.figures.sample(steadyClock(), new Date(), 30).reconnects).toBe(1);
    await run.end();
    expect(await survivorsOf(await ownFfmpegs(), 0)).toEqual([]);
  });
});

describe('an encoder', { timeout: testTimeoutMs }, () => {
  /** Stops each ffmpeg of this process once it has started. @returns a function that resumes all of them */
  function stopEncoders(): () => Promise<void> {
    const stopped = new Set<number>();
    const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT') => {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
    };
    let isOver = false;
    const stopping = (async () => {
      while (!isOver) {
        for (const { pid } of await ownFfmpegs()) {
          stopped.add(pid);
          signal(pid, 'SIGSTOP');
        }
        await setTimeout(20);
      }
    })();
    return async () => {
      isOver = true;
      await stopping;
      for (const pid of stopped) signal(pid, 'SIGCONT');
    };
  }

  it('that falls behind is told of while the stream is live; what it does not give is late, then lost', async () => {
    const server = await ingest();
    const { run, told } = begin({ rtmpURL: server.rtmpURL, itemSeconds: 600 });
    const sample = () => run.sampleFigures(new Date()).stats;
    await until(() => told.at(-1) === 'live' && pictures(server.connections[0]!.received).length > 90);
    const goOn = stopEncoders();
    await until(() => told.at(-1) === 'falling_behind');
    expect(run.isShortOfMedia).toBe(true);
    await until(() => sample().lateFrames > 0);
    expect(sample().droppedFrames).toBe(0);
    await goOn();
    await until(() => told.at(-1) === 'live' && sample().lateFrames === 0);
    expect(sample()).toMatchObject({ droppedFrames: 0, reconnects: 0 });

    const resumeEncoders = stopEncoders();
    await until(() => server.connections.length === 2);
    await resumeEncoders();
    await until(() => told.at(-1) === 'live');
    expect(told[told.indexOf('slower_than_real_time') - 1]).toBe('falling_behind');
    expect(sample().droppedFrames).toBeGreaterThan(10 * 30);
  });
});

describe('media', { timeout: testTimeoutMs }, () => {
  it('of which nothing can be played is reported as hopeless', async () => {
    const server = await ingest();
    const { reports } = begin({ rtmpURL: server.rtmpURL, files: [await writtenFile('broken.mp4', 'not a film')] });
    await until(() => reports.length > 0);
    expect(reports[0]).toMatchObject({ state: 'failing', hopeless: true });
    expect(reports[0]!.reason!.code).not.toBe('publisher_failed');
    expect(pictures(server.connections[0]?.received ?? [])).toEqual([]);
  });

  it('that was replaced by garbage after it was examined never stops the stream', async () => {
    const server = await ingest();
    const { states, logged } = begin({
      rtmpURL: server.rtmpURL,
      files: [clip, await writtenFile('broken.mp4', 'not a film')],
    });
    await until(() => pictures(server.connections[0]?.received ?? []).length > 4 * profile.framesPerSecond);
    expect(states()).toEqual(['live']);
    expect(server.connections).toHaveLength(1);
    expect(logged).toContain('item_not_playable');
    const { received } = server.connections[0]!;
    expect(steps(pictures(received).map(({ timestampMs }) => timestampMs))).toEqual([33, 34]);
    const headers = received.filter(({ type, payload }) => type === messageType.video && payload[1] === 0);
    expect(headers).toHaveLength(1);
  });
});

describe('reports', { timeout: testTimeoutMs }, () => {
  it('that could not be written are written later, only the newest of them', async () => {
    const server = await ingest();
    const written: string[] = [];
    let attempts = 0;
    begin({
      rtmpURL: server.rtmpURL,
      report: async ({ state }) => {
        attempts++;
        // The connection breaks while the database is away.
        if (attempts === 1) server.connections[0]!.socket.resetAndDestroy();
        if (server.connections.length < 2 || attempts < 3) throw new Error('the database is away');
        written.push(state);
        return true;
      },
    });
    await until(() => written.includes('live'));
    expect(attempts).toBeGreaterThan(2);
    expect(written.filter((state, index) => state === written[index - 1])).toEqual([]);
    expect(written.at(-1)).toBe('live');
  });

  it('and plans that fail keep no stream from its destination', async () => {
    const server = await ingest();
    let isAway = false;
    const away = () => Promise.reject(new Error('the database is away'));
    const made = begin({ rtmpURL: server.rtmpURL, unlessAway: () => (isAway ? away() : Promise.resolve()) });
    await until(() => made.states().join() === 'live');
    isAway = true;
    server.connections[0]!.socket.resetAndDestroy();
    await until(() => pictures(server.connections[1]?.received ?? []).length > 0);
    expect(made.states()).toEqual(['live', 'connection_lost', 'live']);
  });

  it('that find another holder end everything', async () => {
    const server = await ingest();
    const { run } = begin({ rtmpURL: server.rtmpURL, report: async () => false });
    const closed = until(() => server.connections[0]?.socket.closed === true);
    await run.finished;
    await closed;
    expect(server.connections).toHaveLength(1);
    expect(await survivorsOf(await ownFfmpegs(), 0)).toEqual([]);
  });
});

describe('the end of a held replica', { timeout: testTimeoutMs }, () => {
  it('leaves no ffmpeg and no connection, and closes the stream properly', async () => {
    const server = await ingest();
    const { run, states } = begin({ rtmpURL: server.rtmpURL });
    await until(() => states().includes('live'));
    let processes: Awaited<ReturnType<typeof ownFfmpegs>> = [];
    await until(async () => (processes = await ownFfmpegs()).length >= 3);
    await run.end();
    expect(await survivorsOf(processes, 0)).toEqual([]);
    await until(() => server.connections[0]!.socket.closed);
    const names = server.commands().map(({ name }) => name);
    expect(names.slice(-2)).toEqual(['FCUnpublish', 'deleteStream']);
    expect(states()).toEqual(['live']);
  });

  it('for good is reported when nothing of it is left', async () => {
    const server = await ingest();
    let left: string[] | undefined;
    const { run, states } = begin({
      rtmpURL: server.rtmpURL,
      report: async ({ state }) => {
        if (state === 'live') run.endForGood();
        if (state === 'ended') left = (await ownFfmpegs()).map(({ name }) => name);
        return true;
      },
    });
    await run.finished;
    expect(left).toEqual([]);
    expect(states()).toEqual([]);
  });

  it('comes at once while the destination does not answer', async () => {
    const connected = Promise.withResolvers<void>();
    const rtmpURL = await strangeServer((socket) => {
      socket.on('error', () => {});
      connected.resolve();
    });
    const { run, states } = begin({ rtmpURL, connectTimeoutMs: 10 * minuteMs });
    await connected.promise;
    await run.end();
    expect(states()).toEqual([]);
    expect(await ownFfmpegs()).toEqual([]);
  });

  it('before its plan is loaded leaves every destination alone', async () => {
    const server = await ingest();
    const planned = Promise.withResolvers<void>();
    const { run } = begin({ rtmpURL: server.rtmpURL, planned: planned.promise });
    const ended = run.end();
    planned.resolve();
    await ended;
    expect(server.connections).toEqual([]);
  });

  it('does not wait for a database that is away', async () => {
    const server = await ingest();
    const { run, logged } = begin({
      rtmpURL: server.rtmpURL,
      report: () => Promise.reject(new Error('the database is away')),
    });
    await until(() => logged.includes('report_failed'));
    run.endForGood();
    await run.end();
    expect(await ownFfmpegs()).toEqual([]);
  });
});

describe('the wait before another attempt', () => {
  it('doubles up to 30 s, and lasts a quarter of a second at least', () => {
    const waits = [1, 2, 3, 6, 7, 100, 1e9].map((failures) => backoffMs(failures, 'usual', () => 0.999_999));
    const expected = [1250, 2250, 4250, 30_000, 30_000, 30_000, 30_000];
    expect(waits).toEqual(expected.map((ms) => expect.closeTo(ms, -1)));
    expect(backoffMs(1, 'usual', () => 0)).toBe(250);
  });

  it('lasts 15 to 30 s when a key was refused', () => {
    for (const failures of [1, 5, 1000]) {
      for (const random of [0, 0.5, 0.999_999]) {
        for (const pace of ['rare', 'wary'] as const) {
          expect(backoffMs(failures, pace, () => random)).toBeGreaterThanOrEqual(15_000);
          expect(backoffMs(failures, pace, () => random)).toBeLessThanOrEqual(30_000);
        }
      }
    }
  });
});
