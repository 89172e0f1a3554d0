// A prepared stream over SRT, to listeners of libsrt, over lossy connections, and to listeners that refuse it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { conclusion } from '../../../lambda/publisher/srt/handshake.ts';
import type { PublishTarget } from '../../../lambda/publisher/destination/publishing-ways.ts';
import { judgeRecording, steps } from '../../support/recording.ts';
import { seeded } from '../../support/seeded.ts';
import { ffmpegListener, srtLiveTransmit, startLossyLine } from '../../support/srt-listeners.ts';
import { loopingClips } from '../prepared/looping-clips.ts';
import { beginPrepared } from '../prepared/prepared-replica.ts';

const lacking = 'no listener of libsrt is installed: neither an ffmpeg with it nor srt-live-transmit';
const passphrase = 'correct horse battery';
const latencyMs = 300;
let tools: MediaTools;
let folder: string;
let loop: Awaited<ReturnType<typeof loopingClips>>;
beforeAll(async () => {
  tools = await findMediaTools(process.env);
  folder = await mkdtemp(join(tmpdir(), 'srt-'));
  loop = await loopingClips(tools);
});
afterAll(async () => {
  await loop[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const targetAt = (port: number, more: Partial<PublishTarget<'srt'>> = {}): PublishTarget => ({
  way: 'srt',
  url: `srt://127.0.0.1:${port}`,
  passphrase: null,
  latencyMs,
  streamID: null,
  ...more,
});

/** Publishes a number of pictures to a target, and ends the stream. */
async function publish(target: PublishTarget, pictures: number) {
  const { run, words } = beginPrepared(loop.media, target);
  const sent = () => run.figures.sample(performance.now(), new Date(), 30).framesSent;
  await expect.poll(sent, { timeout: 60_000 + (pictures / 30) * 1000 }).toBeGreaterThan(pictures);
  await run.end();
  expect(words()).toEqual(['live']);
  return sent();
}

/** A listener's recording of a number of pictures. */
async function recorded(file: string, sent: number) {
  const { video, audio, decodeErrors } = await judgeRecording(tools, file);
  return {
    // A listener learns of the end while it still holds the last packets.
    isComplete: video.dts.length > sent - 10,
    pictureSteps: steps(video.dts),
    // Times are whole milliseconds in RTMP, and the frames of one packet follow each other exactly.
    isSoundEven: steps(audio.dts).every((step) => step >= 20 && step <= 23),
    decodeErrors,
  };
}
const whole = { isComplete: true, pictureSteps: [33, 34], isSoundEven: true, decodeErrors: '' };

describe('a listener', { timeout: 120_000 }, () => {
  it.for([
    ['ffmpeg, without a passphrase', ffmpegListener, undefined],
    ['ffmpeg', ffmpegListener, passphrase],
    ['srt-live-transmit', srtLiveTransmit, passphrase],
  ] as const)('that is %s gets every picture', async ([name, startListener, wanted], { skip }) => {
    const file = join(folder, `${name}.ts`);
    const listener = await startListener({ file, ...(wanted !== undefined && { passphrase: wanted }) });
    if (!listener) return skip(lacking);
    onTestFinished(() => listener[Symbol.dispose]());
    const sent = await publish(targetAt(listener.port, { passphrase: wanted ?? null, streamID: 'live/key' }), 200);
    await listener.ended;
    expect(await recorded(file, sent)).toEqual(whole);
  });

  it('behind a line that loses 2 % of all packets gets every picture', { timeout: 900_000 }, async ({ skip }) => {
    const file = join(folder, 'lossy.ts');
    const listener = await ffmpegListener({ file, passphrase });
    if (!listener) return skip(lacking);
    onTestFinished(() => listener[Symbol.dispose]());
    const random = seeded(1);
    const line = await startLossyLine(listener.port, () => random() < 0.02);
    onTestFinished(() => line[Symbol.dispose]());
    // A latency that users choose for such connections; it gives a busy machine time to retransmit lost packets.
    const target = targetAt(line.port, { passphrase, latencyMs: 2000 });
    const seconds = Number(process.env.SRT_SECONDS ?? 15);
    await publish(target, 30 * seconds);
    await listener.ended;
    expect(line.lost).toBeGreaterThan(50);
    // The data that the listener held at the end is dropped, in the middle of a picture.
    const judged = join(folder, 'lossy-but-its-end.ts');
    await promisify(execFile)(tools.ffmpegPath, [
      '-v',
      'error',
      '-i',
      file,
      '-t',
      `${seconds - 3}`,
      '-c',
      'copy',
      judged,
    ]);
    expect(await recorded(judged, 30 * (seconds - 3))).toEqual(whole);
  });

  it.for([
    ['another', passphrase, 'wrong horse battery'],
    ['no', passphrase, null],
    ['a needless', undefined, passphrase],
  ] as const)('refuses %s passphrase, in words for the user', async ([, wanted, given], { skip }) => {
    const listener = await ffmpegListener({
      file: join(folder, 'refused.ts'),
      ...(wanted !== undefined && { passphrase: wanted }),
    });
    if (!listener) return skip(lacking);
    onTestFinished(() => listener[Symbol.dispose]());
    const blamed: unknown[] = [];
    const log = (event: string, fields: Readonly<Record<string, unknown>>) =>
      void (event === 'session_ended' && blamed.push(fields));
    const { run, reports, words } = beginPrepared(loop.media, targetAt(listener.port, { passphrase: given }), { log });
    await expect.poll(words).toEqual(['passphrase_refused']);
    expect(reports[0]).toMatchObject({
      state: 'failing',
      reason: { detail: expect.stringContaining('SRT passphrase') },
    });
    expect(blamed).toMatchObject([{ blame: 'destination' }]);
    expect(JSON.stringify([reports, blamed])).not.toContain('horse');
    await run.end();
  });

  it('that goes away is tried again, and gets the stream again', async ({ skip }) => {
    const first = await ffmpegListener({ file: join(folder, 'first.ts') });
    if (!first) return skip(lacking);
    onTestFinished(() => first[Symbol.dispose]());
    const { run, words } = beginPrepared(loop.media, targetAt(first.port));
    await expect.poll(words).toEqual(['live']);
    first[Symbol.dispose]();
    await expect.poll(words).toHaveLength(2);
    const file = join(folder, 'second.ts');
    const second = await ffmpegListener({ file, port: first.port });
    onTestFinished(() => second![Symbol.dispose]());
    await expect.poll(() => words().at(-1)).toBe('live');
    await run.end();
    await second!.ended;
    expect((await judgeRecording(tools, file)).video.codec).toBe('h264');
  });
});

it('a stream id goes out in words, each with its last byte first', () => {
  const caller = { socketID: 7, firstSequence: 1, latencyMs, streamID: 'live/key1' };
  const bytes = conclusion(caller, 0, null, 16);
  expect(bytes.subarray(-16).toString('latin1')).toBe('\0\x05\0\x03evilyek/\0\0\x001');
});
