// `npm run soak:hostile -- --minutes N --megabytes-per-second R`: one agent, where some destinations flood it.
// It prints what they cost, beside an agent without them, and fails where others notice them.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { KeyFacts } from '../support/faulty-ingest.ts';
import type { HostileAgentFigures, HostileAgentOptions } from './hostile-agent.ts';
import { hostileKinds } from './hostile-destination.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'megabytes-per-second': { type: 'string', default: '20' },
  },
});
const minutes = Number(values.minutes);
const bytesPerSecond = Number(values['megabytes-per-second']) * 1e6;
const streams = 50;
const hostileStreams = 45;
const mostGrowthMiB = 64;
const mostDelayMs = 50;
const framesPerSecond = 30;

const ingest = fork(join(import.meta.dirname, '../support/faulty-ingest-process.ts'));
const hostile = fork(join(import.meta.dirname, 'hostile-destination-process.ts'));
try {
  const [{ rtmpURL }] = (await once(ingest, 'message')) as [{ rtmpURL: string }];
  hostile.send({ bytesPerSecond: bytesPerSecond / hostileStreams });
  const [{ rtmpURL: hostileURL }] = (await once(hostile, 'message')) as [{ rtmpURL: string }];
  const honest = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => [rtmpURL, `${name}${index}`] as const);
  const among = Array.from({ length: hostileStreams }, (_, index) => {
    const kind = hostileKinds[index % hostileKinds.length]!;
    return [`${hostileURL}/${kind}`, `hostile${index}`] as const;
  });

  console.log(`${streams} streams of one agent, ${minutes} minutes; first without hostile destinations, for a minute`);
  print('all honest', await watch(honest('alone', streams), Math.min(1, minutes)));
  const seen = await watch([...honest('among', streams - hostileStreams), ...among], minutes);
  print(`${hostileStreams} hostile`, seen);
  const sentMB = (await ask<{ bytesSent: number }>(hostile)).bytesSent / 1e6;
  console.log(`the hostile destinations sent ${sentMB.toFixed(0)} MB; connections ended: ${JSON.stringify(seen.ends)}`);
  const growthMiB = seen.mostMiB - seen.beforeMiB;
  const checks = [
    [`memory grew by ${growthMiB.toFixed(0)} MiB at the most, of ${mostGrowthMiB}`, growthMiB <= mostGrowthMiB],
    [`delay at p99 ${seen.delayMs.p99} ms, of ${mostDelayMs}`, seen.delayMs.p99 < mostDelayMs],
    [
      `others lost ${seen.lostFrames} frames, and ${seen.reconnects} connections`,
      seen.lostFrames + seen.reconnects === 0,
    ],
  ] as const;
  for (const [what, isFine] of checks) console.log(`${isFine ? 'ok    ' : 'FAILED'} ${what}`);
  if (checks.some(([, isFine]) => !isFine)) process.exitCode = 1;
} finally {
  ingest.disconnect();
  hostile.disconnect();
}

interface Seen extends Pick<HostileAgentFigures, 'delayMs' | 'ends'> {
  readonly beforeMiB: number;
  readonly mostMiB: number;
  /** Of the streams to the honest ingest: those that were due and did not arrive. */
  readonly lostFrames: number;
  readonly reconnects: number;
}

/** Runs an agent with these streams, and looks at it every few seconds. */
async function watch(targets: HostileAgentOptions['targets'], forMinutes: number): Promise<Seen> {
  const agent = fork(join(import.meta.dirname, 'hostile-agent.ts'));
  try {
    agent.send({ targets } satisfies HostileAgentOptions);
    await once(agent, 'message');
    const untilMs = performance.now() + forMinutes * 60_000;
    const before = await ask<HostileAgentFigures>(agent);
    const seen: HostileAgentFigures[] = [];
    while (performance.now() < untilMs) {
      await setTimeout(Math.min(10_000, untilMs - performance.now()));
      seen.push(await ask<HostileAgentFigures>(agent));
    }
    const last = seen.at(-1)!;
    const honestKeys = targets.filter(([url]) => url.endsWith('/live')).map(([, key]) => key);
    const { keys } = await ask<{ keys: [string, KeyFacts][] }>(ingest);
    const facts = new Map(keys);
    const missing = honestKeys.map((key) => {
      const { pictures = 0, timestampMs = 0 } = facts.get(`live/${key}`)?.publications.at(-1) ?? {};
      return Math.round((timestampMs * framesPerSecond) / 1000) + 1 - pictures + last.streams[key]!.droppedFrames;
    });
    const worst = (name: 'p50' | 'p99' | 'max') => Math.max(...seen.map(({ delayMs }) => delayMs[name]));
    return {
      delayMs: { p50: worst('p50'), p99: worst('p99'), max: worst('max') },
      ends: last.ends,
      beforeMiB: before.residentMiB,
      mostMiB: Math.max(...seen.map(({ residentMiB }) => residentMiB)),
      lostFrames: missing.reduce((sum, frames) => sum + frames, 0),
      reconnects: honestKeys.reduce((sum, key) => sum + last.streams[key]!.reconnects, 0),
    };
  } finally {
    agent.disconnect();
  }
}

async function ask<Answer>(child: ChildProcess): Promise<Answer> {
  child.send('figures');
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}

function print(name: string, { delayMs, beforeMiB, mostMiB }: Seen): void {
  const memory = `${beforeMiB.toFixed(0)} MiB at first, ${mostMiB.toFixed(0)} at the most`;
  const { p50, p99, max } = delayMs;
  console.log(`${name.padEnd(12)} delay of the event loop p50 ${p50}, p99 ${p99}, max ${max} ms; ${memory}`);
}
