// One stream to thirty outputs: ten of them fail in turn, and the effects on the others are measured.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { KeyFacts, Publication } from '../support/faulty-ingest.ts';
import { startChangingDestination, troubles } from './changing-destination.ts';
import type { Trouble } from './changing-destination.ts';
import type { HostileAgentFigures, HostileAgentOptions } from './hostile-agent.ts';
import { hostileKinds } from './hostile-destination.ts';

const wellCount = 20;
const disturbedCount = 10;
const phaseSeconds = 12;
const hostileBytesPerSecond = 400_000;
/** Time limit of a recovery: repeated refusals delay a retry by minutes at most. */
const backWithinMs = 4 * 60_000;

export interface DisturbedOutputs {
  /** Healthy outputs by their keys: missing frames, and connections after the first. */
  readonly well: Readonly<Record<string, { readonly lostFrames: number; readonly reconnects: number }>>;
  /** The number of pictures at the healthy output with the fewest. */
  readonly leastPictures: number;
  /** The number of ended connections, by the code of the reason. */
  readonly ends: Readonly<Record<string, number>>;
  /** For each disturbed output: its number of kinds of trouble, and whether the ingest has its pictures again. */
  readonly disturbed: readonly { readonly troubles: number; readonly isBack: boolean }[];
}

/** @param framesPerSecond frame rate of the stream */
export async function disturbOutputs(minutes: number, framesPerSecond = 30): Promise<DisturbedOutputs> {
  const ingest = fork(join(import.meta.dirname, '../support/faulty-ingest-process.ts'));
  const hostile = fork(join(import.meta.dirname, 'hostile-destination-process.ts'));
  const agent = fork(join(import.meta.dirname, 'hostile-agent.ts'));
  using closing = new DisposableStack();
  for (const child of [ingest, hostile, agent]) closing.defer(() => child.disconnect());
  const [{ rtmpURL }] = (await once(ingest, 'message')) as [{ rtmpURL: string }];
  hostile.send({ bytesPerSecond: hostileBytesPerSecond });
  const [{ rtmpURL: hostileURL }] = (await once(hostile, 'message')) as [{ rtmpURL: string }];
  const ports = { ingest: Number(new URL(rtmpURL).port), hostile: Number(new URL(hostileURL).port) };
  const disturbed = await Promise.all(
    Array.from({ length: disturbedCount }, async (_, index) => {
      const destination = closing.use(await startChangingDestination(ports));
      // The application selects the kind of the hostile destination.
      const app = hostileKinds[index % hostileKinds.length]!;
      return { destination, app, key: `disturbed${index}`, had: new Set<Trouble>() };
    }),
  );
  const wellKeys = Array.from({ length: wellCount }, (_, index) => `well${index}`);
  const targets = [
    ...wellKeys.map((key) => [rtmpURL, key] as const),
    ...disturbed.map(({ destination, app, key }) => [`rtmp://127.0.0.1:${destination.port}/${app}`, key] as const),
  ];
  agent.send({ targets, areOutputs: true } satisfies HostileAgentOptions);
  await once(agent, 'message');

  const phases = Math.max(troubles.length, Math.ceil((minutes * 60) / phaseSeconds));
  for (let phase = 0; phase < phases; phase++) {
    for (const [index, { destination, had }] of disturbed.entries()) {
      const trouble = troubles[(phase + index) % troubles.length]!;
      destination.set(trouble);
      had.add(trouble);
    }
    await setTimeout(phaseSeconds * 1000);
  }
  const { streams, ends } = await ask<HostileAgentFigures>(agent);
  const facts = await factsOf(ingest);
  const well = Object.fromEntries(
    wellKeys.map((key) => {
      const publications = facts.get(`live/${key}`)?.publications ?? [];
      const { pictures = 0, timestampMs = 0 } = publications.at(-1) ?? {};
      const missing = Math.round((timestampMs * framesPerSecond) / 1000) + 1 - pictures;
      const reconnects = streams[key]!.reconnects + publications.length - 1;
      return [key, { lostFrames: missing + streams[key]!.droppedFrames, reconnects }];
    }),
  );
  const leastPictures = Math.min(...wellKeys.map((key) => facts.get(`live/${key}`)?.publications[0]?.pictures ?? 0));

  for (const { destination } of disturbed) destination.set(null);
  const isBack = async () => {
    const now = await factsOf(ingest);
    return disturbed.map(({ app, key }) => {
      const last: Publication | undefined = now.get(`${app}/${key}`)?.publications.at(-1);
      return last?.endedAtMs === null && last.pictures > 2 * framesPerSecond;
    });
  };
  let back = await isBack();
  for (const untilMs = performance.now() + backWithinMs; back.includes(false) && performance.now() < untilMs;) {
    await setTimeout(1000);
    back = await isBack();
  }
  return {
    well,
    leastPictures,
    ends,
    disturbed: disturbed.map(({ had }, index) => ({ troubles: had.size, isBack: back[index]! })),
  };
}

async function factsOf(ingest: ChildProcess): Promise<Map<string, KeyFacts>> {
  return new Map((await ask<{ keys: [string, KeyFacts][] }>(ingest)).keys);
}

async function ask<Answer>(child: ChildProcess): Promise<Answer> {
  child.send('figures');
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}
