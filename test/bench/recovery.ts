// The outage of a stream when its agent is killed, and when its machine (agent and supervisor) is lost.
import { setTimeout } from 'node:timers/promises';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { Publication } from '../support/faulty-ingest.ts';
import { startMachines } from '../support/machines.ts';

const kills = { agent: Number(process.env['AGENT_KILLS'] ?? 100), machine: Number(process.env['MACHINE_KILLS'] ?? 50) };
const streams = Number(process.env['STREAMS'] ?? 10);
const goals = { agent: 'p50 3 s, p99 10 s', machine: 'p50 6 s, p99 10 s' };
const recoveryLimitMs = 60_000;
const pollMs = 20;

export async function recoveryBench(): Promise<void> {
  await using ingest = await startFaultyIngest();
  await using fleet = await startMachines(['one', 'two', 'three']);
  const keys = Array.from({ length: streams }, (_, index) => `key${index}`);
  for (const key of keys) await fleet.stream(key, { rtmpURL: ingest.rtmpURL });
  const publicationsOf = (key: string): readonly Publication[] => ingest.keys.get(`live/${key}`)?.publications ?? [];
  const isLive = (key: string) =>
    publicationsOf(key).some(({ endedAtMs, pictures }) => endedAtMs === null && pictures > 30);

  console.log(
    `${streams} streams (720p30, prepared) on three machines; from SIGKILL to the first picture of the next connection`,
  );
  for (const what of ['agent', 'machine'] as const) {
    const darkMs: number[] = [];
    let lost = 0;
    for (let count = 0; count < kills[what]; count++) {
      await until(async () => keys.every(isLive) && (await fleet.areAllUp()));
      await setTimeout(Math.random() * 1000);
      const [victim] = (await fleet.holders()).sort((a, b) => b.keys.length - a.keys.length);
      const killedAtMs = await fleet.kill(victim!.machine, what);
      const backAfterMs = (key: string) => {
        const next = publicationsOf(key).find(
          ({ beganAtMs, firstPictureAtMs }) => beganAtMs > killedAtMs && firstPictureAtMs !== null,
        );
        return next ? next.firstPictureAtMs! - killedAtMs : null;
      };
      await until(async () => victim!.keys.every((key) => backAfterMs(key) !== null), recoveryLimitMs);
      for (const key of victim!.keys) {
        const ms = backAfterMs(key);
        if (ms === null) lost++;
        else darkMs.push(ms);
      }
    }
    if (darkMs.length === 0) continue;
    const sorted = darkMs.sort((a, b) => a - b);
    const at = (share: number) =>
      `${(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]! / 1000).toFixed(2)} s`;
    const mostAtOnce = Math.max(...[...ingest.keys.values()].map((facts) => facts.mostAtOnce));
    const times = `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} (goal ${goals[what]})`;
    console.log(
      `  ${what.padEnd(8)} killed ${kills[what]} times: ${times}, ${darkMs.length} interruptions, ${lost} lost`,
    );
    console.log(`           publishers of a key at once: ${mostAtOnce} at most`);
  }
}

async function until(isSo: () => Promise<boolean>, limitMs = 120_000): Promise<void> {
  const untilMs = performance.now() + limitMs;
  while (performance.now() < untilMs && !(await isSo())) await setTimeout(pollMs);
}
