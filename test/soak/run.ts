// `npm run soak -- --hours N --streams M`: streams for hours on three machines, with random faults.
// It ends with a table of the faults' cost.
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { Publication } from '../support/faulty-ingest.ts';
import { startMachines } from '../support/machines.ts';
import { descendantsOf } from '../support/processes.ts';
import { faults, pickFault } from './faults.ts';

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '1' },
    streams: { type: 'string', default: '10' },
    'every-seconds': { type: 'string', default: '45' },
  },
});
const [hours, streams, everySeconds] = [Number(values.hours), Number(values.streams), Number(values['every-seconds'])];
const framesPerSecond = 30;
/** Time limit of a recovery. A longer one is a failure. */
const patienceMs = 90_000;

interface Hit {
  readonly fault: string;
  readonly recoveredMs: number | null;
  readonly detectedMs: number | null;
}

await using ingest = await startFaultyIngest();
await using fleet = await startMachines(['one', 'two', 'three']);
const ids = new Map<string, string>();
for (let index = 0; index < streams; index++)
  ids.set(`key${index}`, await fleet.stream(`key${index}`, { rtmpURL: ingest.rtmpURL }));
const publicationsOf = (key: string): readonly Publication[] => ingest.keys.get(`live/${key}`)?.publications ?? [];
const isSending = ({ endedAtMs, pictures, lastPictureAtMs }: Publication) =>
  endedAtMs === null && pictures > 0 && performance.now() - lastPictureAtMs! < 2000;
const isLive = (key: string) => publicationsOf(key).some(isSending);
await until(async () => [...ids.keys()].every(isLive));

console.log(`${streams} streams for ${hours} h, a fault every ${everySeconds} s or so`);
const beganAtMs = performance.now();
const memoryBefore = await memoryMiB();
const picturesBefore = pictures();
const hits: Hit[] = [];
const counts = new Map<string, number>();
while (performance.now() - beganAtMs < hours * 3_600_000) {
  await setTimeout(everySeconds * 500 + Math.random() * everySeconds * 1000);
  await until(async () => [...ids.keys()].every(isLive) && (await fleet.areAllUp()), patienceMs);
  const name = pickFault(Math.random);
  counts.set(name, (counts.get(name) ?? 0) + 1);
  const [faultAtMs, faultAt] = [performance.now(), new Date()];
  const keys = await faults[name]!.run(fleet, ingest);
  // A fault of the destination ends now. A kill was over at once.
  const overAtMs = name.startsWith('destination') ? performance.now() : faultAtMs;
  await until(async () => keys.every((key) => backAfterMs(key, faultAtMs, overAtMs) !== null), patienceMs);
  for (const key of keys) {
    const recoveredMs = backAfterMs(key, faultAtMs, overAtMs);
    hits.push({ fault: name, recoveredMs, detectedMs: await detectedAfterMs(key, faultAt) });
  }
}
const elapsedMs = performance.now() - beganAtMs;
const picturesAtEnd = pictures();
await until(async () => [...ids.keys()].every(isLive), patienceMs);
await report();

/** The number of received pictures of each stream so far. */
function pictures(): number[] {
  return [...ids.keys()].map((key) => publicationsOf(key).reduce((sum, publication) => sum + publication.pictures, 0));
}

/** The time from the end of a fault to the first picture of a connection made after the fault's beginning. */
function backAfterMs(key: string, faultAtMs: number, overAtMs: number): number | null {
  const next = publicationsOf(key).find(
    ({ beganAtMs: atMs, firstPictureAtMs }) => atMs > faultAtMs && firstPictureAtMs !== null,
  );
  return next ? Math.max(0, next.firstPictureAtMs! - overAtMs) : null;
}

/** The time from a fault to the transition that shows that the platform noticed it. */
async function detectedAfterMs(key: string, since: Date): Promise<number | null> {
  const { rows } = await fleet.pool.query<{ at: Date }>(
    `select at
     from stream_transitions
     where stream_id = $1 and cause = 'media_interrupted' and at > $2
     order by id
     limit 1`,
    [ids.get(key), since],
  );
  return rows[0] ? rows[0].at.getTime() - since.getTime() : null;
}

async function report(): Promise<void> {
  console.log(`\n${'fault'.padEnd(22)} times   detected p50 / p99 / max      back p50 / p99 / max     not back`);
  for (const [name, count] of counts) {
    const of = hits.filter(({ fault }) => fault === name);
    const figures = (values: readonly (number | null)[]) => {
      const sorted = values.filter((ms) => ms !== null).toSorted((a, b) => a - b);
      const at = (share: number) =>
        sorted.length === 0
          ? '–'
          : (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]! / 1000).toFixed(2);
      return `${at(0.5)} / ${at(0.99)} / ${at(1)} s`.padEnd(28);
    };
    const lost = of.filter(({ recoveredMs }) => recoveredMs === null).length;
    const detected = figures(of.map((hit) => hit.detectedMs));
    const recovered = figures(of.map((hit) => hit.recoveredMs));
    console.log(`${name.padEnd(22)} ${String(count).padStart(5)}   ${detected}  ${recovered} ${lost}`);
  }
  const due = (elapsedMs * framesPerSecond) / 1000;
  const received = picturesAtEnd
    .map((pictures, index) => Math.min(due, pictures - picturesBefore[index]!))
    .toSorted((a, b) => a - b);
  const uptimes = received.map((pictures) => `${((100 * pictures) / due).toFixed(2)} %`);
  console.log(
    '\nuptime per stream, as pictures that arrived of those due, faults of the destination included: ' +
      uptimes.join(', '),
  );
  const framesLost = received.reduce((lost, pictures) => lost + due - pictures, 0);
  console.log(`frames lost: ${Math.round(framesLost)} of ${Math.round(streams * due)}`);
  const stolen = [...ingest.keys.values()].reduce((sum, { mostAtOnce }) => sum + mostAtOnce - 1, 0);
  console.log(`leases stolen (publishers of a key at once beyond one): ${stolen}`);
  const { rows } = await fleet.pool.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from streams group by state',
  );
  console.log(`states at the end: ${rows.map(({ state, count }) => `${count} ${state}`).join(', ')}`);
  const memoryAfter = await memoryMiB();
  console.log(
    'memory of platform, Postgres and agents: ' +
      `${memoryBefore.toFixed(0)} MiB at the beginning, ${memoryAfter.toFixed(0)} MiB at the end`,
  );
}

async function memoryMiB(): Promise<number> {
  const processes = await descendantsOf(process.pid);
  const kibibytesOf = async ({ pid }: { pid: number }) => {
    const memory = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    return Number(/^Pss:\s+(\d+)/m.exec(memory)?.[1] ?? 0);
  };
  const sizes = await Promise.all(processes.map(kibibytesOf));
  return sizes.reduce((sum, kib) => sum + kib / 1024, 0);
}

async function until(isSo: () => Promise<boolean>, limitMs = Infinity): Promise<void> {
  const untilMs = performance.now() + limitMs;
  // A failed query of the unavailable database counts as “not yet”.
  while (performance.now() < untilMs && !(await isSo().catch(() => false))) await setTimeout(50);
}
