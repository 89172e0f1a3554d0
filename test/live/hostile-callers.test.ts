// 50 hostile callers of SRT beside one real one: every picture of it arrives, and memory stays bounded.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { randomNumbers } from '../../lambda/domain/playout/lap-order.ts';
import { induction } from '../../lambda/publisher/srt/handshake.ts';
import { controlType, dataPacket, nextSequence } from '../../lambda/publisher/srt/packet.ts';
import { packetize, pesPacket } from '../../lambda/publisher/transport-stream/packets.ts';
import { ProgramTables, videoPid } from '../../lambda/publisher/transport-stream/program-tables.ts';
import { makeFlv, readFlv } from '../publisher/rtmp/flv-sample.ts';
import { ffmpegWithSrt } from '../support/srt-listeners.ts';
import type { ListenerLine } from './listener-process.ts';
import { calling, firstSequence, RawCaller, testSrtListener } from './srt-caller.ts';
import { goodKey } from './test-listener.ts';

const mib = 1024 * 1024;
const ffmpegPath = await ffmpegWithSrt();
const seconds = 6;

/** Starts the listener in a process. @returns its latest line */
async function startProcess(): Promise<() => ListenerLine> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'listener-process.ts'), 'srt'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: ListenerLine[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line) as ListenerLine));
  await expect.poll(() => lines.length).toBeGreaterThan(3);
  return () => lines.at(-1)!;
}

const random = randomNumbers(1);
const below = (limit: number) => Math.floor(random() * limit);
const noise = Buffer.from(Array.from({ length: 65_536 }, () => below(256)));
const noisy = (bytes: number) => noise.subarray(below(60_000)).subarray(0, bytes);
const tables = new ProgramTables('h264').packets();
const hugePicture = Buffer.concat([
  tables,
  packetize({ pid: videoPid, next: 0 }, pesPacket('video', { pts: 0, dts: 0 }, [Buffer.alloc(7 * mib, 1)]), {
    clock: null,
    isRandomAccess: false,
  }),
]);

/** The datagrams of a hostile caller, 100 times a second; the first kinds need no key. */
type Attack = (caller: RawCaller, step: number) => void;

const withoutKey: readonly Attack[] = [
  (caller) => {
    for (let times = 0; times < 3; times++)
      caller.handshake(induction({ socketID: below(2 ** 30), firstSequence: 1, latencyMs: 0, streamID: null }));
  },
  (caller) => {
    for (let times = 0; times < 3; times++)
      caller.handshake(caller.conclusion({ streamID: 'hostile' }, below(2 ** 32)));
  },
  (caller) => caller.send(noisy(below(1400))),
];
const withKey: readonly Attack[] = [
  (caller) => caller.send(withDestination(noisy(16 + below(1400)), caller.destinationID)),
  (caller, step) => {
    for (let times = 0; times < 4; times++)
      caller.data(nextSequence(firstSequence, 1 + 5 * step + times), Buffer.alloc(1316, 0x47));
  },
  (caller, step) => {
    for (let piece = 10 * step; piece < 10 * step + 10; piece++)
      caller.data(nextSequence(firstSequence, piece), hugePicture.subarray(1316 * piece, 1316 * (piece + 1)));
  },
  (caller) => caller.control([1, 2, 3, 6, 7, 0x7fff][below(6)]!, below(2 ** 32), noisy(below(40))),
  (caller) => caller.control(controlType.keepAlive),
];

function withDestination(datagram: Buffer, destinationID: number): Buffer {
  const changed = Buffer.from(datagram);
  changed.writeUInt32BE(destinationID, 12);
  return changed;
}

/** Calls again and again, and attacks until the test ends it. */
async function attack(port: number, kind: number, localAddress: string, signal: AbortSignal): Promise<void> {
  const caller = await RawCaller.open(port, localAddress);
  const isAdmitted = kind >= withoutKey.length;
  const act = isAdmitted ? withKey[kind - withoutKey.length]! : withoutKey[kind]!;
  let [step, ends, isOpen] = [0, 0, false];
  const call = async () => {
    const seen = caller.ofType(controlType.shutdown).length;
    if (isOpen && seen === ends) return;
    ends = seen;
    const { refusal } = await caller.call({ streamID: isAdmitted ? 'hostile' : 'wrong', latencyMs: 4000 });
    isOpen = isAdmitted && refusal === null;
    step = 0;
  };
  const calls = setInterval(() => void call(), 1000);
  const acts = setInterval(() => act(caller, step++), 10);
  signal.addEventListener('abort', () => {
    clearInterval(calls);
    clearInterval(acts);
    caller.control(controlType.shutdown);
  });
}

test('50 hostile callers cost bounded memory, and no picture of a real one', { timeout: 60_000 }, async ({ skip }) => {
  if (!ffmpegPath) return skip('no ffmpeg with libsrt is installed');
  const folder = await mkdtemp(join(tmpdir(), 'hostile-callers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'sample.flv');
  await makeFlv(file, { seconds });
  const line = await startProcess();
  const before = line();
  const ending = new AbortController();
  const kinds = withoutKey.length + withKey.length;
  for (let index = 0; index < 50; index++)
    await attack(before.port, index % kinds, `127.0.0.${index + 2}`, ending.signal);
  const url = `srt://127.0.0.1:${before.port}?streamid=live/good&latency=2000000`;
  const output = ['-c', 'copy', '-f', 'mpegts', url];
  await promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', '-re', '-i', file, ...output]);
  await expect.poll(() => line().goodEnded).toBe(true);
  ending.abort();
  const pictures = (await readFlv(file))
    .filter(({ type, payload }) => type === 'video' && payload[1] === 1)
    .map(({ payload }) => createHash('sha256').update(payload).digest('hex').slice(0, 8));
  const { goodPictures, refused, admitted, mostResidentBytes } = line();
  // ffmpeg closes before its last packets are sent, or sent again.
  const judged = 30 * (seconds - 2);
  expect(goodPictures.slice(0, judged)).toEqual(pictures.slice(0, judged));
  expect(refused).toBeGreaterThan(20);
  expect(admitted).toBeGreaterThan(20);
  const cost = mostResidentBytes - before.residentBytes;
  expect(cost).toBeLessThan(96 * mib);
  await expect.poll(() => line().connections, { timeout: 10_000 }).toBe(0);
});

test('changed sessions end in time, and leave nothing behind', { timeout: 60_000 }, async () => {
  const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Date.now() / 86_400_000));
  const numbers = randomNumbers(seed);
  const any = (limit: number) => Math.floor(numbers() * limit);
  const limits = { keyWithinSeconds: 0.4, mostSilentSeconds: 0.4, leaveWithinSeconds: 0.2, firstDelaySeconds: 0.05 };
  const tested = await testSrtListener({ ...limits, mostDelaySeconds: 0.05, mostConnectionsPerAddress: 100 });
  const changed = (bytes: Buffer, from: number) => {
    const copy = Buffer.from(bytes);
    for (let changes = any(5); changes >= 0; changes--)
      copy[from + any(copy.length - from)] = [0, 0x7f, 0xff, any(256)][any(4)]!;
    return any(4) === 0 ? copy.subarray(0, any(copy.length)) : copy;
  };
  for (let round = 0; round < 4; round++) {
    for (let index = 0; index < 30; index++) {
      // A changed key is a wrong one, and delays its address.
      const caller = await RawCaller.open(tested.listener.port, `127.0.1.${index + 1}`);
      caller.handshake(changed(caller.conclusion({ streamID: goodKey }, await caller.cookie()), 0));
    }
    const callers = await Promise.all(Array.from({ length: 20 }, () => calling(tested)));
    for (const { caller } of callers) {
      const { destinationID } = caller;
      for (let piece = 0; piece < 40; piece++) {
        const payload = hugePicture.subarray(1316 * piece, 1316 * (piece + 1));
        const header = { sequence: nextSequence(firstSequence, piece), message: 1, isEncrypted: false, timestampUs: 0 };
        caller.send(changed(dataPacket({ ...header, destinationID }, payload), any(2) === 0 ? 0 : 16));
      }
    }
    await expect
      .poll(() => tested.listener.figures(), { timeout: 5000, message: `seed ${seed}` })
      .toMatchObject({ connections: 0, contributing: 0, incompleteBytes: 0 });
  }
  expect(new Set(tested.door.contributions.map(({ ends }) => ends))).toEqual(new Set([1]));
  expect(tested.door.contributions.length).toBeGreaterThanOrEqual(80);
});
