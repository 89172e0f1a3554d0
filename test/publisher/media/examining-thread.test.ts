// Files are inspected on a separate thread, with the same facts and errors as on the main thread.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ToolError } from '../../../lambda/publisher/ffmpeg/media-tool.ts';
import { examineOnThread } from '../../../lambda/publisher/media/examining-thread.ts';
import { MediaError } from '../../../lambda/publisher/media/media-error.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import { everyMediaTools, mediaSample, writtenFile } from '../../support/media-samples.ts';

const { tools } = (await everyMediaTools())[0]!;
const unclaimed = { mimeType: null, type: null, fileSize: null };
const never = new AbortController().signal;
const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

it('finds what probeMedia finds, of several files at a time', async () => {
  const files = await Promise.all((['plain.mp4', '44100.mp4'] as const).map((name) => mediaSample(name)));
  const found = await Promise.all(files.map((file) => examineOnThread(tools, file, unclaimed, never)));
  const expected = await Promise.all(files.map((file) => probeMedia(tools, file, unclaimed, never)));
  expect(found).toEqual(expected);
});

it('says whose fault it was', async () => {
  const ofMedia = await failureOf(examineOnThread(tools, await writtenFile('a.txt', 'no media'), unclaimed, never));
  expect(ofMedia).toBeInstanceOf(MediaError);
  expect(ofMedia).toMatchObject({ code: 'not_media', detail: expect.stringContaining('.') });
  const missing = { ...tools, ffprobePath: '/no/such/ffprobe' };
  const ofTool = await failureOf(examineOnThread(missing, await mediaSample('plain.mp4'), unclaimed, never));
  expect(ofTool).toBeInstanceOf(ToolError);
  const ours = await failureOf(examineOnThread(tools, '/no/such/file', unclaimed, never));
  expect(ours).toMatchObject({ message: expect.stringContaining('ENOENT') });
});

it('ends with the reason of its signal, and others go on', async () => {
  const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const ending = new AbortController();
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/a`;
  const failure = failureOf(examineOnThread(tools, url, unclaimed, ending.signal));
  await once(silent, 'connection');
  const other = examineOnThread(tools, await mediaSample('plain.mp4'), unclaimed, never);
  ending.abort(new Error('no longer wanted'));
  expect(await failure).toMatchObject({ message: 'no longer wanted' });
  expect(await other).toMatchObject({ kind: 'video' });
  silent.close();
});
