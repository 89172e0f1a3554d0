// `npm run soak:attacker -- --minutes N`: one user attacks a local run, with the attacks of `attacks.ts` in turn.
// It prints what that does to another user with five streams, and fails if they are affected.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { apiKeyPrefix, hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import type { KeyFacts } from '../support/faulty-ingest.ts';
import { apiClient, startLocalRun, temporaryDataFolder, until, untilActive, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { attacks, manage, startHostileProcess } from './attacks.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    attacks: { type: 'string', default: Object.keys(attacks).join(',') },
  },
});
const minutes = Number(values.minutes);
const streams = 5;
const framesPerSecond = 30;
const askedEveryMs = 100;
const lookedEveryMs = 1000;
/** A stream without a picture for as long is not on the air. */
const silentMs = 5000;
const mostRatio = 2;
const media = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' } as const;

/** The five streams at their ingest, at one time. */
interface Look {
  readonly nowMs: number;
  readonly keys: ReadonlyMap<string, KeyFacts>;
}

interface Seen {
  readonly p99Ms: number;
  readonly lostFrames: number;
  readonly reconnects: number;
  /** The longest that a stream was behind, against the clock. */
  readonly behindMs: number;
  /** Looks at a stream whose state contradicts its ingest. */
  readonly dishonest: number;
  readonly offAir: number;
}

const folder = await temporaryDataFolder();
const ingest = fork(join(import.meta.dirname, '../support/faulty-ingest-process.ts'));
using hostile = await startHostileProcess();
const certificateFile = join(folder.path, 'hostile.pem');
await writeFile(certificateFile, hostile.ways.tlsCa);
process.env['NODE_EXTRA_CA_CERTS'] = certificateFile;
const [{ rtmpURL }] = (await once(ingest, 'message')) as [{ rtmpURL: string }];
const run = await startLocalRun(join(folder.path, 'data'), '--no-demo');
const pool = createPool({ connectionString: run.connection.databaseURL, max: 2 });
const failed: string[] = [];
try {
  const sample = await mediaSample('plain.mp4');
  const clipID = await uploadFile(run.api, sample, 'video/mp4');
  const ids = await startStreams(run, clipID);
  const attacker = { run, ways: hostile.ways, rtmpURL, api: await attackingUser() };
  const attackersClip = await uploadFile(attacker.api, sample, 'video/mp4');
  console.log(`${streams} streams of one user, alone for a minute, then ${minutes} minutes beside each attack`);
  const alone = await watch(ids, Math.min(1, minutes));
  print('alone', alone);
  for (const name of values.attacks.split(',')) {
    const ending = new AbortController();
    const attack = attacks[name]!({ ...attacker, clipID: attackersClip }, ending.signal);
    const seen = await Promise.race([watch(ids, minutes), attack.then((facts) => Promise.reject(new Error(facts)))]);
    ending.abort();
    print(name, seen);
    console.log(`  ${await attack}`);
    judge(name, seen, alone);
  }
  await goLiveBeside(clipID);
} finally {
  await pool.end();
  await run.interrupt();
  ingest.disconnect();
  await folder.remove();
}
for (const what of failed) console.log(`FAILED ${what}`);
if (failed.length > 0) process.exitCode = 1;
else console.log('ok     nothing of the other user was affected');

async function attackingUser() {
  const [userID, apiKey] = ['usr_attacker', `${apiKeyPrefix}attacker`];
  const { users, invoices } = databaseOn(pool);
  await users.ensureUser({ id: userID, email: 'attacker@example.com', name: 'attacker' });
  await users.ensureKey({ id: 'key_a', userID, name: 'x', keySha256: hashApiKey(apiKey), keyStart: 'lss_atta' });
  await invoices.ensurePaid({ id: 'inv_a', userID, type: 'adjustment', method: 'grant', cost: 0, credits: 1e6 });
  return apiClient({ ...run.connection, apiKey });
}

async function startStreams({ api }: LocalRun, videoUploadObjectID: string): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < streams; number++) {
    const target = { name: 'ingest', rtmpURL, streamKey: `other${number}` };
    const { id: destinationID } = await api('POST', '/destinations', target);
    const { id } = await api('POST', '/streams', { ...media, videoUploadObjectID, destinationID });
    await until(async () => (await api('GET', `/streams/${id}/readiness`)).ready);
    await api('POST', `/streams/${id}/start`);
    await untilActive(api, id);
    ids.push(id);
  }
  return ids;
}

/** After the attacks, the other user's managed stream goes live, with units that the attacker had to leave. */
async function goLiveBeside(clipID: string): Promise<void> {
  const { streamID } = await manage(run.api, clipID, 'UC-local-loops');
  const isLive = async () => {
    await run.api('POST', `/streams/${streamID}/start`);
    await until(async () => (await run.api('GET', `/streams/${streamID}/broadcasts`)).data[0]?.phase === 'live');
  };
  const fault = await isLive()
    .then(() => null)
    .catch((error: unknown) => String(error));
  console.log(`the other user's broadcast: ${fault ?? 'live'}`);
  if (fault !== null) failed.push(`the other user's broadcast is not live: ${fault}`);
}

async function watch(ids: readonly string[], forMinutes: number): Promise<Seen> {
  const ending = AbortSignal.timeout(forMinutes * 60_000);
  const first = await look();
  const [durations, truth] = await Promise.all([askOften(ending), lookOften(ids, ending)]);
  const last = await look();
  const changes = ids.map((_, number) => changeOf(first, last, `live/other${number}`));
  const sum = (name: 'lostFrames' | 'reconnects') => changes.reduce((total, change) => total + change[name], 0);
  return {
    p99Ms: durations.toSorted((one, other) => one - other)[Math.floor(durations.length * 0.99)]!,
    lostFrames: sum('lostFrames'),
    reconnects: sum('reconnects'),
    behindMs: Math.max(...changes.map(({ behindMs }) => behindMs)),
    ...truth,
  };
}

/** Requests the user's account repeatedly. @returns milliseconds of each request */
async function askOften(ending: AbortSignal): Promise<number[]> {
  const durations: number[] = [];
  while (!ending.aborted) {
    const beganMs = performance.now();
    await run.api('GET', '/me');
    durations.push(performance.now() - beganMs);
    await setTimeout(askedEveryMs);
  }
  return durations;
}

/** Compares what the API says about streams with what their ingest has. */
async function lookOften(ids: readonly string[], ending: AbortSignal): Promise<Pick<Seen, 'dishonest' | 'offAir'>> {
  let [dishonest, offAir] = [0, 0];
  while (!ending.aborted) {
    const states = await Promise.all(ids.map(async (id) => (await run.api('GET', `/streams/${id}`)).state));
    const { nowMs, keys } = await look();
    for (const [number, state] of states.entries()) {
      const { lastPictureAtMs = null } = keys.get(`live/other${number}`)?.publications.at(-1) ?? {};
      const isSent = lastPictureAtMs !== null && nowMs - lastPictureAtMs < silentMs;
      if (!isSent || state !== 'active') offAir++;
      if (isSent !== (state === 'active')) dishonest++;
    }
    await setTimeout(lookedEveryMs);
  }
  return { dishonest, offAir };
}

async function look(): Promise<Look> {
  const answer = once(ingest, 'message');
  ingest.send('facts');
  const [{ keys, nowMs }] = (await answer) as [{ keys: [string, KeyFacts][]; nowMs: number }];
  return { nowMs, keys: new Map(keys) };
}

function changeOf(first: Look, last: Look, key: string) {
  const [before, after] = [first, last].map(({ keys }) => keys.get(key)!.publications) as [
    KeyFacts['publications'],
    KeyFacts['publications'],
  ];
  const [from, to] = [before.at(-1)!, after.at(-1)!];
  const mediaMs = to.timestampMs - from.timestampMs;
  return {
    lostFrames: Math.round((mediaMs * framesPerSecond) / 1000) - (to.pictures - from.pictures),
    reconnects: after.length - before.length,
    behindMs: Math.round(last.nowMs - first.nowMs - mediaMs),
  };
}

function judge(name: string, { p99Ms, lostFrames, reconnects, dishonest, offAir }: Seen, alone: Seen): void {
  const isSlow = p99Ms > mostRatio * alone.p99Ms;
  if (isSlow) failed.push(`${name}: GET /me ${(p99Ms / alone.p99Ms).toFixed(2)} times as long at p99`);
  if (lostFrames + reconnects > 0) failed.push(`${name}: ${lostFrames} lost frames, ${reconnects} lost connections`);
  if (dishonest + offAir > 0) failed.push(`${name}: ${offAir} looks off the air, ${dishonest} states untrue`);
}

function print(name: string, seen: Seen): void {
  const { p99Ms, lostFrames, reconnects, behindMs, dishonest, offAir } = seen;
  console.log(
    `${name.padEnd(9)} GET /me p99 ${p99Ms.toFixed(1)} ms; ${lostFrames} frames and ${reconnects} connections lost, ` +
      `${behindMs} ms behind; ${offAir} looks off the air, ${dishonest} states untrue`,
  );
}
