// `npm run soak:hostile -- --minutes N --megabytes-per-second R`: one agent, flooded by some destinations.
// It prints their cost, beside an agent without them, and fails if other streams are affected.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { youngHeap } from '../../bin/local/agent-supervisor.ts';
import type { KeyFacts } from '../support/faulty-ingest.ts';
import type { HostileAgentFigures, HostileAgentOptions } from './hostile-agent.ts';
import type { HostileAddresses } from './hostile-destination-process.ts';
import { floodKinds, permittedBytesPerSecond, permittedKinds } from './hostile-destination.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'megabytes-per-second': { type: 'string', default: '20' },
  },
});
const minutes = Number(values.minutes);
const bytesPerSecond = Number(values['megabytes-per-second']) * 1e6;
const honestStreams = 5;
const floodingStreams = 45;
/** Number of permitted senders: the agent disconnects floods, so these send the rest and stay. */
const permittedStreams = Math.ceil(bytesPerSecond / permittedBytesPerSecond);
/** Number of streams to hostile servers of every way out, over TLS and UDP. */
const otherStreams = 40;
const streams = honestStreams + floodingStreams + otherStreams + permittedStreams;
/** Size of a picture: all streams together send as much as 50 streams at 4 Mbit/s. */
const pictureBytes = Math.round((50 * 16_000) / streams);
const mostGrowthMiB = 64;
const mostDelayMs = 50;
const framesPerSecond = 30;
const sampledEveryMs = 5;

const ingest = fork(join(import.meta.dirname, '../support/faulty-ingest-process.ts'));
const hostile = fork(join(import.meta.dirname, 'hostile-destination-process.ts'));
try {
  const [{ rtmpURL }] = (await once(ingest, 'message')) as [{ rtmpURL: string }];
  hostile.send({ bytesPerSecond: bytesPerSecond / floodingStreams });
  const [{ rtmpURL: hostileURL, ways }] = (await once(hostile, 'message')) as [HostileAddresses];
  if (ways === null) throw new Error('openssl is missing');
  const urls = Object.values(ways.urls).flat();
  const honest = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => [rtmpURL, `${name}${index}`] as const);
  const among = (name: string, kinds: readonly string[], count: number) =>
    Array.from({ length: count }, (_, index) => {
      const kind = kinds[index % kinds.length]!;
      return [`${hostileURL}/${kind}`, `${name}${index}`] as const;
    });

  console.log(`${streams} streams of one agent, ${minutes} minutes; first without hostile destinations, for a minute`);
  print('all honest', await watch(honest('alone', streams), Math.min(1, minutes)));
  const hostileTargets = [
    ...among('flooding', floodKinds, floodingStreams),
    ...among('permitted', permittedKinds, permittedStreams),
    ...Array.from({ length: otherStreams }, (_, index) => [urls[index % urls.length]!, `other${index}`] as const),
  ];
  const seen = await watch([...honest('among', honestStreams), ...hostileTargets], minutes, ways.tlsCa);
  print(`${streams - honestStreams} hostile`, seen);
  const sentMB = (await ask<{ bytesSent: number }>(hostile)).bytesSent / 1e6;
  console.log(
    `the hostile destinations sent ${sentMB.toFixed(0)} MB, ${(sentMB / minutes / 60).toFixed(1)} MB/s; ` +
      `connections ended: ${JSON.stringify(seen.ends)}`,
  );
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
  readonly first: HostileAgentFigures;
  readonly last: HostileAgentFigures;
  readonly beforeMiB: number;
  readonly mostMiB: number;
  /** Delay of this process at p99, which has nothing to do: the machine's own. */
  readonly idleMs: number;
  /** Missing frames of the streams to the honest ingest. */
  readonly lostFrames: number;
  readonly reconnects: number;
}

/** Runs an agent with these streams, and samples it every few seconds. */
async function watch(targets: HostileAgentOptions['targets'], forMinutes: number, tlsCa?: string): Promise<Seen> {
  const agent = fork(join(import.meta.dirname, 'hostile-agent.ts'), { execArgv: [youngHeap] });
  try {
    agent.send({ targets, pictureBytes, ...(tlsCa !== undefined && { tlsCa }) } satisfies HostileAgentOptions);
    await once(agent, 'message');
    const untilMs = performance.now() + forMinutes * 60_000;
    const before = await ask<HostileAgentFigures>(agent);
    const seen: HostileAgentFigures[] = [];
    const idle = monitorEventLoopDelay({ resolution: sampledEveryMs });
    idle.enable();
    let idleMs = 0;
    while (performance.now() < untilMs) {
      await setTimeout(Math.min(10_000, untilMs - performance.now()));
      seen.push(await ask<HostileAgentFigures>(agent));
      idleMs = Math.max(idleMs, Math.round(idle.percentile(99) / 1e5 - 10 * sampledEveryMs) / 10);
      idle.reset();
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
      first: before,
      last,
      beforeMiB: before.residentMiB,
      idleMs,
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

function print(name: string, { delayMs, idleMs, beforeMiB, mostMiB, first, last }: Seen): void {
  const held = ({ heapMiB, buffersMiB }: HostileAgentFigures) =>
    `${heapMiB.toFixed(0)} of heap and ${buffersMiB.toFixed(0)} of buffers`;
  const memory =
    `${beforeMiB.toFixed(0)} MiB at first, ${mostMiB.toFixed(0)} at the most; ` +
    `held after collecting: ${held(first)} at first, ${held(last)} at last`;
  const { p50, p99, max } = delayMs;
  console.log(
    `${name.padEnd(12)} delay of the event loop p50 ${p50}, p99 ${p99}, max ${max} ms ` +
      `(of an idle process: p99 ${idleMs}); ${memory}`,
  );
}
