// 50 hostile contributors beside one real one: every message of its media arrives, and memory stays bounded.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { randomNumbers } from '../../lambda/domain/playout/lap-order.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { ChunkWriter } from '../../lambda/publisher/rtmp/chunk-writer.ts';
import { commandMessage } from '../../lambda/publisher/rtmp/command.ts';
import { messageType } from '../../lambda/publisher/rtmp/message.ts';
import type { MediaMessage } from '../../lambda/publisher/rtmp/message.ts';
import { makeFlv, readFlv } from '../publisher/rtmp/flv-sample.ts';
import { attack, attacksWith } from './attacks.ts';
import { greeting, handshakeBytes, mediaMessage } from './greeting.ts';
import { goodKey, RawClient, testListener } from './test-listener.ts';
import type { ListenerLine } from './listener-process.ts';

const mib = 1024 * 1024;
const { ffmpegPath } = await findMediaTools(process.env);
const seconds = 4;

let folder: string;
let file: string;
let sample: MediaMessage[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-contributors-'));
  file = join(folder, 'sample.flv');
  await makeFlv(file, { seconds });
  sample = (await readFlv(file)).filter(
    ({ type, payload }) => type !== 'data' && !(type === 'video' && payload[1] === 2),
  );
});
afterAll(() => rm(folder, { recursive: true }));

/** The room for new objects, in MiB. With the usual 16, V8 keeps more memory than the connections take. */
const semiSpaceMiB = 4;

/** Starts the listener in a process. @returns its latest line */
async function startProcess(): Promise<() => ListenerLine> {
  const listener = [`--max-semi-space-size=${semiSpaceMiB}`, join(import.meta.dirname, 'listener-process.ts')];
  const child = spawn(process.execPath, listener, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: ListenerLine[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line) as ListenerLine));
  await expect.poll(() => lines.length).toBeGreaterThan(3);
  return () => lines.at(-1)!;
}

test('50 hostile contributors cost bounded memory, and no message of a real one', async () => {
  const line = await startProcess();
  const before = line();
  const attacks = attacksWith('hostile');
  const ends = Array.from({ length: 50 }, (_, index) =>
    attack(before.port, attacks[index % attacks.length]!, `127.0.0.${index + 2}`),
  );
  onTestFinished(() => ends.forEach((end) => end()));
  const url = `rtmp://127.0.0.1:${before.port}/live/good`;
  await promisify(execFile)(ffmpegPath, ['-v', 'error', '-re', '-i', file, '-c', 'copy', '-f', 'flv', url]);
  await expect.poll(() => line().goodEnded).toBe(true);
  const hash = createHash('sha256');
  for (const { payload } of sample) hash.update(payload);
  const { goodTags, goodHash, refused, admitted, mostResidentBytes } = line();
  expect({ goodTags, goodHash }).toEqual({ goodTags: sample.length, goodHash: hash.digest('hex') });
  expect(refused).toBeGreaterThan(50);
  expect(admitted).toBeGreaterThan(20);
  const cost = mostResidentBytes - before.residentBytes;
  expect(cost).toBeLessThan(64 * mib);
  for (const end of ends) end();
  await expect.poll(() => line().connections).toBe(0);
});

/** A session as bytes, with the media of the sample at its beginning. */
function session(): Buffer {
  const writer = new ChunkWriter();
  const types = { video: messageType.video, audio: messageType.audio, data: messageType.dataAmf0 };
  const media = sample
    .filter(({ payload }) => payload.length < 1500)
    .slice(0, 20)
    .map(({ type, timestampMs, payload }) => mediaMessage(types[type], timestampMs, payload));
  return Buffer.concat([
    greeting(goodKey, writer),
    writer.write([...media, commandMessage(1, 'deleteStream', 6, null, 1)]),
  ]);
}

test('changed sessions end in time, and leave nothing behind', async () => {
  const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Date.now() / 86_400_000));
  const numbers = randomNumbers(seed);
  const below = (limit: number) => Math.floor(numbers() * limit);
  const limits = { keyWithinSeconds: 0.4, mostSilentSeconds: 0.4, leaveWithinSeconds: 0.2, firstDelaySeconds: 0.05 };
  const tested = await testListener({ ...limits, mostDelaySeconds: 0.05, mostConnectionsPerAddress: 100 });
  const whole = session();
  const changed = (): Buffer => {
    const bytes = Buffer.from(whole);
    // Half of the changes are before the media: the listener does not read its bodies.
    const limit = [handshakeBytes.length + 600, bytes.length][below(2)]!;
    for (let changes = below(5); changes >= 0; changes--) bytes[below(limit)] = [0, 0x7f, 0xff, below(256)][below(4)]!;
    const start = below(bytes.length);
    const kinds = [
      () => bytes,
      () => bytes.subarray(0, start),
      () => Buffer.concat([bytes.subarray(0, start), bytes.subarray(below(start + 1))]),
    ];
    return kinds[below(kinds.length)]!();
  };
  for (let round = 0; round < 6; round++) {
    const addresses = Array.from({ length: 50 }, (_, index) => `127.0.1.${index + 1}`);
    const clients = await Promise.all(addresses.map((address) => RawClient.open(tested.listener.port, address)));
    for (const { socket } of clients) socket.write(changed());
    const times = await Promise.all(clients.map(({ ended }) => ended));
    expect(Math.max(...times), `seed ${seed}`).toBeLessThan(4000);
  }
  await expect
    .poll(() => tested.listener.figures())
    .toMatchObject({ connections: 0, contributing: 0, incompleteBytes: 0 });
  const { contributions } = tested.door;
  expect(contributions.length).toBeGreaterThan(20);
  expect(new Set(contributions.map(({ ends }) => ends))).toEqual(new Set([1]));
});
