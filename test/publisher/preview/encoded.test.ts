// The encoder's output is written unchanged in pieces while a user watches, and only then.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EncodedPiece } from '../../../lambda/data/fleet/previews.ts';
import type { EncodedMessage } from '../../../lambda/publisher/encoded/message-queue.ts';
import { encoderKeyOf, SharedEncoders } from '../../../lambda/publisher/encoded/shared-encoder.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { readVideoTag } from '../../../lambda/publisher/ffmpeg/video-tag.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { PreviewWriters } from '../../../lambda/publisher/preview/preview-writers.ts';
import { makeFlv, readFlv } from '../rtmp/flv-sample.ts';

const tools = await findMediaTools(process.env);
const profile = profileOf({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' });
const lookedAt = { streamID: 'str_1', replicaID: 'rep_1', role: 'primary' } as const;
const startFrame = 300;
/** Duration of the file, which has a keyframe each second. */
const seconds = 6;

let folder: string;
/** Output of a real encoder: messages of sound, and of pictures with the headers before the first. */
let given: EncodedMessage[][];
let audioSequenceHeader: Buffer;
let encoders: SharedEncoders;
let writers: PreviewWriters;
let stored: Map<string, Buffer>;
let pieces: EncodedPiece[];
let calls: number;
let isClosed: boolean;
/** While it is set, the store does not answer. */
let isStoreAway: Promise<void> | null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'encoded-preview-'));
  const file = join(folder, 'sample.flv');
  await makeFlv(file, { seconds });
  const [media, headers] = [await readFlv(file), [] as Buffer[]];
  let frame = startFrame;
  given = [];
  for (const { type, payload, timestampMs } of media) {
    const message = { type, payload, timestampMs, exactMs: timestampMs, isKeyframe: false, picture: null };
    if (type === 'audio') {
      if (payload[1] === 0) audioSequenceHeader = payload;
      else given.push([message]);
      continue;
    }
    if (type !== 'video') continue;
    const { content, isKeyframe } = readVideoTag(payload);
    if (content === 'sequence header') headers.push(payload);
    if (content !== 'picture') continue;
    const picture = { ...message, isKeyframe, picture: { frame: frame++ } as EncodedMessage['picture'] };
    given.push(frame === startFrame + 1 ? [{ ...message, payload: headers[0]! }, picture] : [picture]);
  }
}, 30_000);
afterAll(() => rm(folder, { recursive: true }));

beforeEach(() => {
  encoders = new SharedEncoders();
  [stored, pieces, calls, isClosed, isStoreAway] = [new Map(), [], 0, false, null];
  writers = new PreviewWriters({
    data: {
      previews: { add: async (_stream: string, _replica: string, piece: EncodedPiece) => !!pieces.push(piece) },
    } as unknown as ConstructorParameters<typeof PreviewWriters>[0]['data'],
    objects: {
      write: async (key, body) => {
        calls++;
        await isStoreAway;
        stored.set(key, body as Buffer);
      },
      delete: async (key) => {
        calls++;
        stored.delete(key);
      },
    },
    encoders,
    log: (event, fields) => expect.unreachable(`${event} ${JSON.stringify(fields)}`),
  });
});

/** A connection that reads the encoder's output. */
async function connect() {
  const messages = given[Symbol.iterator]();
  const source = {
    secondsInHand: 1,
    next: async () => messages.next().value ?? expect.unreachable('the encoder has no more'),
    close: async () => void (isClosed = true),
  };
  const open = async () => ({ audioSequenceHeader, messages: source });
  const key = encoderKeyOf(lookedAt.streamID, lookedAt.role);
  return encoders.tap({ key, profile, startFrame, open }, new AbortController().signal);
}

const storedPieces = () => [...stored.keys()].filter((key) => key.endsWith('.m4s'));

test('all of it, from the last keyframe before the look, is decoded by others as it was given', async () => {
  const connection = await connect();
  const taken = 40;
  for (let next = 0; next < taken; next++) await connection.next();
  const firstSeen = given
    .slice(0, taken)
    .findLast((each) => each.at(-1)!.isKeyframe)!
    .at(-1)!.picture!.frame;
  writers.follow([lookedAt]);
  for (let next = taken; next < given.length; next++) await connection.next();
  await expect.poll(() => pieces.length).toBe(seconds - 1 - (firstSeen - startFrame) / 30);
  expect(pieces[0]).toMatchObject({ frame: firstSeen, frameCount: 30 });
  expect(new Set(pieces.map(({ headerKey }) => headerKey)).size).toBe(1);
  const path = join(folder, 'preview.mp4');
  await writeFile(
    path,
    Buffer.concat([pieces[0]!.headerKey, ...pieces.map(({ key }) => key)].map((key) => stored.get(key)!)),
  );
  const decode = ['-nostdin', '-v', 'error', '-xerror', '-i', path, '-f', 'framehash', '-'];
  const { stdout, stderr } = await promisify(execFile)(tools.ffmpegPath, decode, { maxBuffer: 64 * 1024 * 1024 });
  expect(stderr).toBe('');
  const ofTrack = (track: string) => stdout.split('\n').filter((line) => line.startsWith(`${track},`)).length;
  expect(ofTrack('0')).toBe(pieces.length * 30);
  expect(Math.abs(ofTrack('1') - (pieces.length * 48_000) / 1024)).toBeLessThanOrEqual(2);
  await connection.close();
});

test('nothing is written while nobody looks, and nothing is left when nobody looks any more', async () => {
  const connection = await connect();
  for (let next = 0; next < 200; next++) await connection.next();
  expect([writers.areAny, calls]).toEqual([false, 0]);
  writers.follow([lookedAt]);
  for (let next = 200; next < 350; next++) await connection.next();
  await expect.poll(() => pieces.length).toBeGreaterThan(0);
  await writers.stop();
  expect(storedPieces()).toEqual([]);
  const before = calls;
  for (let next = 350; next < given.length; next++) await connection.next();
  expect([writers.areAny, calls]).toEqual([false, before]);
  await connection.close();
});

test('a store that answers nothing holds up no connection and no chores, and only so many pieces', async () => {
  const away = Promise.withResolvers<void>();
  isStoreAway = away.promise;
  const connection = await connect();
  writers.follow([lookedAt]);
  for (const _ of given) await connection.next();
  writers.follow([]);
  // When the preview is opened again, it begins after all old pieces are gone.
  writers.follow([lookedAt]);
  expect(writers.areAny).toBe(false);
  away.resolve();
  await writers.stop();
  expect(pieces.length).toBe(3);
  expect(storedPieces()).toEqual([]);
  writers.follow([lookedAt]);
  expect(writers.areAny).toBe(true);
  await connection.close();
});

test('a store that answers nothing does not keep an agent from ending', async () => {
  isStoreAway = new Promise(() => {});
  const connection = await connect();
  writers.follow([lookedAt]);
  for (const _ of given) await connection.next();
  await expect(writers.stop()).rejects.toThrow('1 previews are not deleted');
  await connection.close();
});

test('whoever looks does not keep an encoder from ending', async () => {
  writers.follow([lookedAt]);
  const connection = await connect();
  await connection.next();
  await connection.close();
  expect(isClosed).toBe(true);
});
