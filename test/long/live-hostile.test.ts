// Hostile contributors beside live ones: no frame is lost at any destination, and the memory of the ingest is bounded.
// LIVE_CONTRIBUTORS is the number of live ones, each with a stream, LIVE_HOSTILE that of hostile ones, and
// LIVE_HOSTILE_SECONDS the time for which they attack once all live ones are shown, at most 50.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { IngestMeasures } from '../support/live-ingest-process.ts';
import { takeoversOn } from '../support/live-takeovers.ts';
import type { LiveStream } from '../support/live-takeovers.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { contribute, data, expectSeamless, inputOf, intervalsOf, startIngest, streamOnAir, ...until } =
  await takeoversOn(service);

const contributors = Number(process.env['LIVE_CONTRIBUTORS'] ?? 3);
const hostile = Number(process.env['LIVE_HOSTILE'] ?? 50);
const attackSeconds = Number(process.env['LIVE_HOSTILE_SECONDS'] ?? 30);
const mib = 1024 * 1024;

async function measuresOf(ingest: ChildProcess): Promise<IngestMeasures> {
  ingest.send('measure');
  return (await once(ingest, 'message'))[0] as IngestMeasures;
}

async function attack(url: string, hostileKey: string): Promise<ChildProcess> {
  const entry = join(import.meta.dirname, '../live/attacking-process.ts');
  const attacking = spawn(process.execPath, [entry, new URL(url).port, hostileKey, String(hostile)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void attacking.kill('SIGKILL'));
  await once(attacking, 'message');
  return attacking;
}

it('hostile contributors take no frame from live ones, and cost bounded memory', async () => {
  const { url, process: ingest } = await startIngest();
  const streams = [];
  for (let index = 0; index < contributors; index++) streams.push(await streamOnAir());
  const live: ChildProcess[] = [];
  const takeOver = async ({ id }: LiveStream) => {
    const { key } = await inputOf(id, { takes: 'always' });
    live.push(contribute(url, key));
    await until.untilSent(id, (await until.untilPlanned(id)).fromFrame + 30);
  };
  await Promise.all(streams.slice(1).map(takeOver));
  const { key: hostileKey } = await inputOf(streams[0]!.id);
  const before = await measuresOf(ingest);
  const attacking = await attack(url, hostileKey);
  // One comes while the others are attacked.
  await takeOver(streams[0]!);
  await delay(attackSeconds * 1000);
  const after = await measuresOf(ingest);
  attacking.kill('SIGKILL');
  const mibOf = (bytes: number) => `${Math.round(bytes / mib)} MiB`;
  const [idle, busy] = [before, after].map(({ delayMs }) => Math.round(delayMs.p99));
  console.log(
    `${hostile} hostile contributors beside ${contributors}: ${after.admitted - before.admitted} admitted, ` +
      `${after.refused - before.refused} refused; memory of the ingest ${mibOf(before.residentBytes)} before, ` +
      `at most ${mibOf(after.mostResidentBytes)}; delay of its event loop p99 ${idle} ms before, ${busy} ms then, ` +
      `at most ${Math.round(after.delayMs.most)} ms`,
  );
  for (const { id } of streams) expect((await intervalsOf(id)).map(({ toFrame }) => toFrame)).toEqual([null]);
  expect(after.mostResidentBytes - before.residentBytes).toBeLessThan(128 * mib);
  expect(after.refused - before.refused).toBeGreaterThan(hostile);
  for (const contributor of live) contributor.kill('SIGKILL');
  for (const { id } of streams) await until.untilSent(id, (await until.untilEndKnown(id)) + 100);
  for (const { id } of streams) await expect.poll(() => data().takeovers.openOf(id), { timeout: 20_000 }).toBeNull();
  for (const stream of streams) await expectSeamless(stream);
}, 240_000);
