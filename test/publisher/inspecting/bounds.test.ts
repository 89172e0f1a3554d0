// Limits of time, memory and attempts of inspections: at a limit, the findings so far are kept.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { inspectNext } from '../../../lambda/publisher/inspecting/inspector.ts';
import type { InspectorOptions } from '../../../lambda/publisher/inspecting/inspector.ts';
import { actorsOn } from '../../support/actors.ts';
import { mediaSample } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { writeShellProgram } from '../../support/shell-program.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, data, upload } = actorsOn(service);
const { signal } = new AbortController();
const contentHash = 'a content of this test';
let uploadID: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bounds-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** An upload of 14 s whose content already has its pictures. */
beforeEach(async () => {
  await service.pool().query('truncate inspections');
  uploadID = await upload();
  await service.pool().query(
    `update uploads set content_hash = $2, duration_seconds = 14, framerate = 30, video_codec = 'h264',
       audio_codec = 'aac'
     where id = $1`,
    [uploadID, contentHash],
  );
  await change(`pictures = '{"hasThumbnail":false,"hasStoryboard":false}'`);
});

const change = (what: string) => service.pool().query(`update inspections set ${what}`);
const state = async () => (await service.pool().query('select state, attempts from inspections')).rows[0];
const read = async () => (await call('GET', `/uploads/${uploadID}`)).body;

function inspect(media: string, more: Partial<InspectorOptions> = {}): Promise<boolean> {
  const objects = Object.assign(Object.create(service.objects()), { presignGet: async () => media });
  return inspectNext({ pool: service.pool(), objects, tools, limitFactor: 100, log: () => {}, ...more }, signal);
}

it('what has taken twelve hours is left with what was found until then', async () => {
  const measured = await mediaSample('plain.mp4');
  const black = [{ kind: 'black', startSeconds: 1, endSeconds: 4, detail: 'x' }];
  await change(`tool_seconds = 12 * 3600 + 1, share = 0.5, findings = '${JSON.stringify(black)}'`);
  expect(await inspect(measured)).toBe(true);
  expect(await state()).toMatchObject({ state: 'completed' });
  expect(await read()).toMatchObject({ examinedShare: 0.5, findings: [{ kind: 'black' }], loudness: null });
  expect(await inspect(measured)).toBe(false);
});

it('what has taken a little less is looked through to its end', async () => {
  await change('tool_seconds = 12 * 3600 - 60');
  await inspect(await mediaSample('plain.mp4'));
  expect(await read()).toMatchObject({ examinedShare: 1, loudness: { integratedLUFS: expect.any(Number) } });
});

it('what fails by our fault is tried again after a minute, four times, and is then left as it is', async () => {
  const gone = 'http://127.0.0.1:9/gone.mp4';
  for (let attempt = 1; attempt <= 4; attempt++) {
    expect(await inspect(gone)).toBe(true);
    expect(await state()).toEqual({ state: 'pending', attempts: attempt });
    // Not before its due time.
    expect(await inspect(gone)).toBe(false);
    await change(`claimed_until = now() - interval '1 second'`);
  }
  await inspect(gone);
  expect(await state()).toMatchObject({ state: 'completed' });
  expect((await read()).examinedShare).toBe(0);
  expect(await inspect(gone)).toBe(false);
});

it('a piece that does not get on ends after its longest time, and nobody tries it again', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const media = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/never.mp4`;
  await inspect(media, { pieceTimes: { usualMs: 100, longestMs: 300 } });
  expect(await state()).toMatchObject({ state: 'completed' });
  expect((await read()).examinedShare).toBeLessThan(1);
  silent.closeAllConnections();
  silent.close();
});

it.skipIf(process.platform !== 'linux')('what takes more memory than a piece may is not tried again', async () => {
  const made = '-f lavfi -i color=s=15000x15000:d=1';
  // A picture of 15,000 × 15,000 needs 1.8 GB.
  const greedy = writeShellProgram(
    join(folder, 'greedy'),
    `exec "${tools.ffmpegPath}" -nostdin -loglevel error ${made} -vf format=gbrap16le -f null -`,
  );
  const logged: string[] = [];
  const log = (event: string) => void logged.push(event);
  await inspect(await mediaSample('plain.mp4'), { tools: { ...tools, ffmpegPath: greedy }, log });
  expect(logged).toEqual(['content_inspected']);
  expect(await state()).toMatchObject({ state: 'completed' });
  expect((await read()).examinedShare).toBeLessThan(1);
});

it('an upload that goes while its content is looked through costs no attempt', async () => {
  await data().inspections.claim();
  await change('claimed_until = null, attempts = 0');
  await call('DELETE', `/uploads/${uploadID}`);
  await change('is_orphan = false');
  expect(await inspect(await mediaSample('plain.mp4'))).toBe(true);
  expect(await state()).toEqual({ state: 'pending', attempts: 0 });
});
