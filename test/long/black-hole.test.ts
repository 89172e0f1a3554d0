// A destination that silently loses every packet is noticed in time, and live again soon afterwards.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { KeyFacts } from '../support/faulty-ingest.ts';
import { makeOtherMachine } from '../support/network-namespace.ts';
import { beginPrepared, preparedLoop, steadyClock } from '../publisher/prepared/prepared-replica.ts';

const holesMs = [7000, 12_000, 20_000];

it('a destination that loses packets is noticed within 5 s, and live again within 3 s of the end', async ({ skip }) => {
  const machine = await makeOtherMachine();
  if (!machine) return skip('needs network namespaces, and root');
  onTestFinished(() => machine[Symbol.asyncDispose]());
  const entry = join(import.meta.dirname, '../support/faulty-ingest-process.ts');
  const [command, ...args] = [...machine.command, process.execPath, entry, machine.address];
  const ingest = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void ingest.kill('SIGKILL'));
  const [{ rtmpURL }] = (await once(ingest, 'message')) as [{ rtmpURL: string }];
  const facts = async (): Promise<KeyFacts | undefined> => {
    ingest.send('facts');
    const [{ keys }] = (await once(ingest, 'message')) as [{ keys: [string, KeyFacts][] }];
    return new Map(keys).get('live/key');
  };
  await using loop = await preparedLoop();
  const { reports } = beginPrepared(loop.media, rtmpURL, { random: Math.random });
  const lastLive = () => reports.findLast(({ state }) => state === 'live')?.atMs ?? 0;
  const firstPictures = async () => (await facts())?.publications[0]?.pictures ?? 0;
  await expect.poll(firstPictures).toBeGreaterThan(60);

  for (const holeMs of holesMs) {
    // Each hole begins at another moment between two delivery samples.
    await setTimeout(3000 + holeMs / 7);
    await machine.cut();
    // The cut itself takes a moment: from here on every packet is lost.
    const cutAtMs = steadyClock();
    await setTimeout(holeMs);
    await machine.mend();
    const mendedAtMs = steadyClock();
    const failure = reports.find(({ atMs, state }) => atMs > cutAtMs && state === 'failing');
    const noticedInTime = failure && failure.atMs - cutAtMs < 5000;
    if (holeMs > 5000) expect([holeMs, failure?.reason?.code, noticedInTime]).toEqual([holeMs, 'stalled', true]);
    if (failure) await expect.poll(lastLive, { timeout: 10_000, interval: 20 }).toBeGreaterThan(mendedAtMs);
    const noticedMs = failure ? Math.round(failure.atMs - cutAtMs) : null;
    const backMs = failure ? Math.round(lastLive() - mendedAtMs) : null;
    console.log(`a hole of ${holeMs} ms: noticed after ${noticedMs} ms, live again ${backMs} ms after its end`);
    expect(backMs ?? 0).toBeLessThan(3000);
  }
  // The server does not see the end of connections that are lost without a reset, but it saw no extra ones.
  const seen = (await facts())!.publications.filter(({ pictures }) => pictures > 0);
  expect(seen.length).toBeLessThanOrEqual(holesMs.length + 1);
});
