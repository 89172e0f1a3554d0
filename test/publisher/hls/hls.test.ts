// A prepared stream as pushed HLS, to an ingest that checks YouTube's rules.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { makeCertificate } from '../../support/certificates.ts';
import { startHlsIngest } from '../../support/hls-ingest.ts';
import type { HlsIngest } from '../../support/hls-ingest.ts';
import { mediaToolsFor } from '../../support/media-samples.ts';
import { judgeRecording, steps } from '../../support/recording.ts';
import { loopingClips } from '../prepared/looping-clips.ts';
import { beginPrepared } from '../prepared/prepared-replica.ts';

const certificate = await makeCertificate('DNS:localhost');

describe.for(['h264', 'hevc'] as const)('%s', { timeout: 120_000 }, (videoCodec) => {
  let tools: MediaTools | null;
  let folder: string;
  let loop: Awaited<ReturnType<typeof loopingClips>> | null = null;
  let ingest: HlsIngest;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hls-'));
    tools = await mediaToolsFor(videoCodec);
    if (tools) loop = await loopingClips(tools, videoCodec);
  }, 120_000);
  afterAll(async () => {
    await loop?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Begins a stream to the ingest. @returns null without an encoder or openssl */
  async function begin(
    more: Parameters<typeof beginPrepared>[2] = {},
    { copy = 0, streamKey }: { copy?: 0 | 1; streamKey?: string } = {},
  ) {
    if (!loop || !certificate) return null;
    ingest ??= await startHlsIngest(certificate);
    const target = { way: 'hls' as const, url: ingest.urls[copy], streamKey: streamKey ?? ingest.streamKey };
    const client = { allowPrivateAddresses: true, connectTimeoutMs: 5000, tlsCa: certificate.cert };
    return beginPrepared(loop.media, target, { client, ...more });
  }

  const lacking = 'there is no openssl, or no ffmpeg of 6.1 or later with this encoder';

  async function fresh(): Promise<void> {
    if (!certificate) return;
    const started = await startHlsIngest(certificate);
    ingest = started;
    onTestFinished(() => started[Symbol.asyncDispose]());
  }

  it('reaches the primary and the backup feed by the rules, and decodes without a seam', async ({ skip }) => {
    await fresh();
    const [primary, backup] = [await begin(), await begin({}, { copy: 1 })];
    if (!primary || !backup) return skip(lacking);
    await expect.poll(() => Math.min(ingest.count(0), ingest.count(1))).toBeGreaterThan(6);
    await Promise.all([primary.run.end(), backup.run.end()]);

    expect([primary.words(), backup.words()]).toEqual([['live'], ['live']]);
    expect(ingest.broken).toEqual([]);
    expect(ingest.connections).toBe(2);
    for (const copy of [0, 1] as const) {
      expect(
        ingest
          .lengths(copy)
          .slice(0, -1)
          .every((seconds) => seconds >= 1 && seconds <= 4),
      ).toBe(true);
      const { video, audio, decodeErrors } = await judgeRecording(tools!, await ingest.join(copy, folder));
      expect(video.codec).toBe(videoCodec);
      expect(steps(video.dts)).toEqual([33, 34]);
      // Times are whole milliseconds in RTMP, and the frames of one packet follow each other exactly.
      expect(steps(audio.dts).every((step) => step >= 20 && step <= 23)).toBe(true);
      expect(decodeErrors).toBe('');
    }
  });

  it('goes on over planned replacements of its connection, in the same numbers and times', async ({ skip }) => {
    await fresh();
    const begun = await begin({ connectionEndsAfterMs: () => 3000 });
    if (!begun) return skip(lacking);
    await expect.poll(() => ingest.connections).toBe(3);
    await begun.run.end();

    expect(begun.run.figures.sample(performance.now(), new Date(), 30)).toMatchObject({ droppedFrames: 0 });
    expect(ingest.broken).toEqual([]);
    const { video, decodeErrors } = await judgeRecording(tools!, await ingest.join(0, folder));
    expect(steps(video.dts)).toEqual([33, 34]);
    expect(decodeErrors).toBe('');
  });

  it('is told of a wrong key, and of an address that takes no files', async ({ skip }) => {
    await fresh();
    const wrong = await begin({}, { streamKey: 'none' });
    if (!wrong) return skip(lacking);
    await expect.poll(wrong.words).toEqual(['key_refused']);
    await wrong.run.end();
    ingest.answerWith(404);
    const astray = (await begin())!;
    await expect.poll(astray.words).toEqual(['upload_refused']);
    await astray.run.end();
    expect(ingest.count(0)).toBe(0);
  });

  it('loses nothing while the ingest answers for a moment that it cannot', async ({ skip }) => {
    await fresh();
    const begun = await begin();
    if (!begun) return skip(lacking);
    await expect.poll(() => ingest.count(0)).toBe(1);
    ingest.answerWith(503);
    const sent = () => begun.run.figures.sample(performance.now(), new Date(), 30).framesSent;
    await expect.poll(sent).toBeGreaterThan(150);
    ingest.answerWith(null);
    await expect.poll(() => ingest.count(0)).toBeGreaterThan(5);
    await begun.run.end();
    expect(begun.words()).toEqual(['live']);
    expect(ingest.broken).toEqual([]);
    expect(steps((await judgeRecording(tools!, await ingest.join(0, folder))).video.dts)).toEqual([33, 34]);
  });

  it('gets two segments that it does not accept, and then none for a quarter of a minute', async ({ skip }) => {
    await fresh();
    const left = vi.fn<() => void>();
    const client = { allowPrivateAddresses: true, connectTimeoutMs: 5000, onUnaccepted: left };
    ingest.answerWith(503, 'segments');
    const begun = await begin({ client: { ...client, ...(certificate && { tlsCa: certificate.cert }) } });
    if (!begun) return skip(lacking);
    await expect.poll(begun.words).toEqual(['upload_unaccepted']);
    expect(ingest.segmentsRead).toBe(2);
    expect(begun.reports[0]?.attempt?.nextInMs).toBeGreaterThanOrEqual(15_000);
    expect(left).toHaveBeenCalledOnce();
    await begun.run.end();
  });

  it('stays connected when it accepts no segment for a second after it has accepted some', async ({ skip }) => {
    await fresh();
    const left = vi.fn<() => void>();
    const client = { allowPrivateAddresses: true, connectTimeoutMs: 5000, onUnaccepted: left };
    const begun = await begin({ client: { ...client, ...(certificate && { tlsCa: certificate.cert }) } });
    if (!begun) return skip(lacking);
    await expect.poll(begun.words).toEqual(['live']);
    const before = ingest.segmentsRead;
    ingest.answerWith(503, 'segments');
    await expect.poll(() => ingest.segmentsRead).toBeGreaterThanOrEqual(before + 3);
    ingest.answerWith(null);
    const after = ingest.segmentsRead;
    await expect.poll(() => ingest.segmentsRead).toBeGreaterThanOrEqual(after + 2);
    expect(begun.words()).toEqual(['live']);
    await begun.run.end();
    expect(left).not.toHaveBeenCalled();
  });

  it('is asked by playlists alone whether it accepts files again', async ({ skip }) => {
    await fresh();
    ingest.answerWith(503);
    const begun = await begin();
    if (!begun) return skip(lacking);
    await expect.poll(begun.words).toEqual(['stalled']);
    expect(ingest.segmentsRead).toBe(0);
    ingest.answerWith(null);
    await expect.poll(begun.words).toEqual(['stalled', 'live']);
    await begun.run.end();
  });

  it('is stalled where files are answered no more', async ({ skip }) => {
    await fresh();
    const begun = await begin();
    if (!begun) return skip(lacking);
    await expect.poll(begun.words).toEqual(['live']);
    ingest.answerWith(503);
    await expect.poll(begun.words).toContain('stalled');
    await begun.run.end();
  });
});
