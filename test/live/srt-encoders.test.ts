// Encoders on libsrt push to the listener, also over a bad network: the tags are those of the source.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSessionEncoder } from '../../lambda/live/session-encoder.ts';
import type { LiveSegment } from '../../lambda/live/segment-encoder.ts';
import type { ContributedTag, ContributionDoor } from '../../lambda/live/contribution.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { assertSegment } from '../../lambda/publisher/prepared/segment-format.ts';
import { makeFlv, readFlv } from '../publisher/rtmp/flv-sample.ts';
import { fastEncoder } from '../support/media-samples.ts';
import { seeded } from '../support/seeded.ts';
import { ffmpegWithSrt, startLossyLine } from '../support/srt-listeners.ts';
import { format } from './contributor.ts';
import { testSrtListener } from './srt-caller.ts';
import { goodKey } from './test-listener.ts';

const run = promisify(execFile);
const tools = await findMediaTools(process.env);
const ffmpegPath = await ffmpegWithSrt();
const lacking = 'no ffmpeg with libsrt is installed';
const hasTransmit = await run('srt-live-transmit', ['-version']).then(
  () => true,
  ({ code }) => code !== 'ENOENT',
);
const hasGStreamer = await run('gst-inspect-1.0', ['srtsink']).then(
  () => true,
  () => false,
);
const seconds = 8;
const passphrase = 'of-the-studio-1234';

let folder: string;
let file: string;
let source: ContributedTag[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'srt-encoders-'));
  file = join(folder, 'sample.flv');
  await makeFlv(file, { seconds });
  source = (await readFlv(file)).flatMap(({ type, timestampMs, payload: body }) =>
    type === 'data' || (type === 'video' && body[1] === 2) ? [] : [{ type, timestampMs, body }],
  );
});
afterAll(() => rm(folder, { recursive: true }));

const push = (port: number, streamID = goodKey, more = '') =>
  run(ffmpegPath!, [
    '-nostdin',
    '-v',
    'error',
    '-re',
    '-i',
    file,
    '-c',
    'copy',
    '-f',
    'mpegts',
    `srt://127.0.0.1:${port}?streamid=${streamID}&pkt_size=1316${more}`,
  ]);

/** Coded pictures or frames of sound, by their content, with times that count from the first picture. */
function media(tags: readonly ContributedTag[], wanted: ContributedTag['type']) {
  const startMs = tags.find(({ type, body }) => type === 'video' && body[1] === 1)!.timestampMs;
  return tags
    .filter(({ type, body }) => type === wanted && body[1] === 1)
    .map(({ timestampMs, body }) => ({ atMs: timestampMs - startMs, content: body.toString('base64') }));
}

/** Requires the tags to be those of the source. The last ones may be missing: ffmpeg closes before it has sent them. */
function expectSource(tags: readonly ContributedTag[], mostMissing: Readonly<Record<ContributedTag['type'], number>>) {
  for (const type of ['video', 'audio'] as const) {
    const [got, sent] = [media(tags, type), media(source, type)];
    const judged = sent.length - mostMissing[type];
    const contents = (of: typeof got) => of.slice(0, judged).map(({ content }) => content);
    expect(contents(got)).toEqual(contents(sent));
    for (const [index, { atMs }] of got.slice(0, judged).entries())
      expect(Math.abs(atMs - sent[index]!.atMs)).toBeLessThanOrEqual(1);
  }
  expect(tags.filter(({ type, body }) => type === 'video' && body[1] === 0)).toHaveLength(1);
}

describe('ffmpeg', { timeout: 60_000 }, () => {
  it.for([goodKey, `#!::r=${goodKey},m=publish`])('pushes all with the stream id %s', async (id, { skip }) => {
    if (!ffmpegPath) return skip(lacking);
    const { listener, door } = await testSrtListener();
    await push(listener.port, id);
    await expect.poll(() => door.contributions[0]?.ends).toBe(1);
    expectSource(door.contributions[0]!.tags, { video: 30, audio: 60 });
  });

  it('over a network that loses 2 % of the packets and turns others round', async ({ skip }) => {
    if (!ffmpegPath) return skip(lacking);
    const { listener, door } = await testSrtListener();
    const random = seeded(5);
    const line = await startLossyLine(
      listener.port,
      () => random() < 0.02,
      () => random() < 0.1,
    );
    onTestFinished(() => line[Symbol.dispose]());
    await push(line.port, goodKey, '&latency=1000000');
    await expect.poll(() => door.contributions[0]?.ends, { timeout: 10_000 }).toBe(1);
    expect(line.lost).toBeGreaterThan(20);
    expectSource(door.contributions[0]!.tags, { video: 30, audio: 60 });
  });

  it.for([16, 24, 32])('encrypts with a key of %i bytes, and changes its keys', async (keyBytes, { skip }) => {
    if (!ffmpegPath) return skip(lacking);
    const { listener, door } = await testSrtListener();
    door.passphrase = passphrase;
    await push(
      listener.port,
      goodKey,
      `&passphrase=${passphrase}&pbkeylen=${keyBytes}&kmrefreshrate=300&kmpreannounce=100`,
    );
    await expect.poll(() => door.contributions[0]?.ends).toBe(1);
    expectSource(door.contributions[0]!.tags, { video: 30, audio: 60 });
  });

  it('encrypts over a network that loses 2 % of the packets, also those with keys', async ({ skip }) => {
    if (!ffmpegPath) return skip(lacking);
    const { listener, door } = await testSrtListener();
    door.passphrase = passphrase;
    const random = seeded(6);
    const line = await startLossyLine(
      listener.port,
      () => random() < 0.02,
      () => random() < 0.1,
    );
    onTestFinished(() => line[Symbol.dispose]());
    const more = `&passphrase=${passphrase}&kmrefreshrate=60&kmpreannounce=20`;
    await push(line.port, goodKey, `&latency=1000000${more}`);
    await expect.poll(() => door.contributions[0]?.ends, { timeout: 10_000 }).toBe(1);
    expect(line.lost).toBeGreaterThan(20);
    expectSource(door.contributions[0]!.tags, { video: 30, audio: 60 });
  });

  it.for([
    ['a wrong key', 'wrong', '', null, /rejection reason/],
    ['a passphrase that the input does not have', goodKey, `&passphrase=${passphrase}`, null, /Password/],
    ['a wrong passphrase', goodKey, '&passphrase=0123456789ab', passphrase, /Incorrect passphrase/],
    ['no passphrase', goodKey, '', passphrase, /Password/],
  ] as const)('is refused at once with %s', async ([, id, more, ofInput, reason], { skip }) => {
    if (!ffmpegPath) return skip(lacking);
    const { listener, door } = await testSrtListener();
    door.passphrase = ofInput;
    const beganAtMs = performance.now();
    await expect(push(listener.port, id, more)).rejects.toThrow(reason);
    expect(performance.now() - beganAtMs).toBeLessThan(3000);
    expect(door.contributions).toEqual([]);
  });

  it('becomes segments of the stream', async ({ skip }) => {
    if (!ffmpegPath) return skip(lacking);
    const segments: LiveSegment[] = [];
    const failures: unknown[] = [];
    const session = openSessionEncoder({
      tools,
      format,
      encoder: fastEncoder,
      targetLUFS: null,
      onSegment: (segment) => segments.push(segment),
      onPoster: () => {},
      onSource: () => {},
      onFailed: (error) => failures.push(error),
      steadyClock: () => performance.now(),
      log: () => {},
    });
    onTestFinished(() => session.close());
    const over = Promise.withResolvers<void>();
    const receiver = {
      receive: (tag: ContributedTag) => session.receive(tag),
      get bytesWaiting() {
        return session.bytesWaiting;
      },
      ended: () => over.resolve(),
    };
    const door: ContributionDoor = { admit: () => Promise.resolve(receiver) };
    const { listener } = await testSrtListener({}, { door });
    await push(listener.port);
    await over.promise;
    await session.end();
    expect(failures).toEqual([]);
    expect(segments.length).toBeGreaterThanOrEqual(3);
    for (const { bytes, soundBytes, hasSilentSound } of segments) {
      assertSegment(bytes);
      assertSegment(soundBytes);
      expect(hasSilentSound).toBe(false);
    }
  });
});

it.skipIf(!hasTransmit)('srt-live-transmit pushes a transport stream (needs srt-live-transmit)', async () => {
  const { listener, door } = await testSrtListener();
  const url = `srt://127.0.0.1:${listener.port}?streamid=${goodKey}`;
  const ts = '-nostdin -v error -re -i'.split(' ').concat(file, '-c copy -f mpegts -'.split(' '));
  await run('sh', ['-c', `"$0" "$@" | srt-live-transmit -q file://con '${url}'`, tools.ffmpegPath, ...ts]);
  await expect.poll(() => door.contributions[0]?.ends, { timeout: 10_000 }).toBe(1);
  expectSource(door.contributions[0]!.tags, { video: 30, audio: 60 });
});

it.skipIf(!hasGStreamer)('GStreamer pushes (needs srtsink)', async () => {
  const { listener, door } = await testSrtListener();
  const uri = `uri=srt://127.0.0.1:${listener.port}?streamid=${goodKey}`;
  const tracks = 'd.video ! h264parse ! queue ! m. d.audio ! aacparse ! queue ! m.'.split(' ');
  const sink = ['mpegtsmux', 'name=m', 'alignment=7', '!', 'srtsink', uri, 'sync=true'];
  await run('gst-launch-1.0', ['filesrc', `location=${file}`, '!', 'flvdemux', 'name=d', ...sink, ...tracks]);
  await expect.poll(() => door.contributions[0]?.ends, { timeout: 10_000 }).toBe(1);
  expect(media(door.contributions[0]!.tags, 'video').length).toBeGreaterThan(30 * seconds - 30);
});
