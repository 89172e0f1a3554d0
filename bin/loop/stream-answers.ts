// The answers of `loop` about streams: status, timeline, proof and spending.
import { writeFile } from 'node:fs/promises';
import type { BillingOverview, Incident, Stream, StreamUsage, TimelineRow } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { LoopFailure } from './failure.ts';
import { findStream } from './named-things.ts';
import { clock, localTime } from './terminal.ts';
import type { Printer } from './terminal.ts';

export async function status(client: Client, printer: Printer, given: string | undefined): Promise<void> {
  const streams = given === undefined ? await client.all<Stream>('/streams') : [await findStream(client, given)];
  const { data: incidents } = await client.call<{ data: Incident[] }>('GET', '/incidents?open=true&limit=100');
  const rows = streams.map((stream) => ({
    stream: stream.name ?? '-',
    id: stream.id,
    state: stream.state,
    since: localTime(stream.state === 'active' ? stream.startedAt : (stream.transitions[0]?.at ?? stream.createdAt)),
    outputs: `${stream.outputs.filter(({ state }) => state === 'live').length}/${stream.outputs.length} live`,
    'credits/h': stream.creditsPerHour,
  }));
  const shown = new Set(streams.map(({ id }) => id));
  const faults = incidents.filter(({ streamID }) => given === undefined || (streamID !== null && shown.has(streamID)));
  const reasons = streams.filter(({ stateReason }) => stateReason !== null);
  const lines = [
    ...(rows.length === 0 ? ['There is no stream yet: loop up FOLDER --to DESTINATION'] : []),
    ...reasons.map(({ name, id, stateReason }) => `${name ?? id}: ${stateReason!.detail}`),
    ...faults.map(({ detail, viewers, advice }) => `Incident: ${detail} ${viewers} ${advice}`),
    ...(given === undefined ? [] : await nowAndNext(client, streams[0]!)),
  ];
  printer.answer({ streams, incidents: faults }, { lines, rows });
}

async function nowAndNext(client: Client, stream: Stream): Promise<readonly string[]> {
  if (stream.state !== 'active') return [];
  const [now, next] = await timelineRows(client, stream.id, { limit: 2 });
  return [
    ...(now ? [`Now: ${titleOf(now)} until ${localTime(now.endAt)}`] : []),
    ...(next ? [`Next: ${titleOf(next)}`] : []),
  ];
}

/** Parameters of a list; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

export async function timelineRows(client: Client, streamID: string, query: Query): Promise<TimelineRow[]> {
  return (await client.call<{ data: TimelineRow[] }>('GET', withQuery(`/streams/${streamID}/timeline`, query))).data;
}

export function titleOf({ title, artist, name, uploadID }: TimelineRow): string {
  return [title ?? name ?? uploadID, artist].filter((part) => part !== null).join(' – ');
}

export async function timeline(
  client: Client,
  printer: Printer,
  given: string | undefined,
  query: Query,
): Promise<void> {
  const stream = await findStream(client, given);
  const found = await timelineRows(client, stream.id, query);
  const rows = found.map((row) => ({
    start: localTime(row.startAt),
    length: clock((Date.parse(row.endAt) - Date.parse(row.startAt)) / 1000),
    item: titleOf(row),
    kind: row.kind,
    aired: row.aired === null ? '' : row.aired.length > 0 ? 'yes' : 'no',
  }));
  const lines = rows.length === 0 ? [`${stream.name ?? stream.id} plays nothing in this time.`] : [];
  printer.answer(found, { lines, rows });
}

export interface ProofOptions {
  /** A day in UTC, as 2030-01-31; undefined: today until now. */
  readonly day: string | undefined;
  /** Path of the statement; the keys are beside it. Undefined: named by the stream and the day. */
  readonly output: string | undefined;
}

/** Writes the signed statement of a day, and the public keys of now, because keys are replaced. */
export async function prove(
  client: Client,
  printer: Printer,
  given: string | undefined,
  options: ProofOptions,
): Promise<void> {
  const stream = await findStream(client, given);
  const { day, output } = options;
  const address = withQuery(`/streams/${stream.id}/proof`, { day });
  const proof = await client.call<{ from: string; to: string; statement: string }>('GET', address);
  const path = output ?? `${stream.id}-${proof.from.slice(0, 10)}.jws`;
  const keysPath = `${path.replace(/\.jws$/, '')}.jwks.json`;
  const keys = await fetch(new URL('/api/auth/jwks', client.apiURL)).catch(() => null);
  if (!keys?.ok) throw new LoopFailure('unreachable', 'The public keys of the platform cannot be read. Try again.');
  await writeFile(path, `${proof.statement}\n`);
  await writeFile(keysPath, await keys.text());
  const check = `node bin/verify-on-air.mjs ${path} ${keysPath} [FILE…]`;
  const lines = [`${path} states what was on air from ${proof.from} to ${proof.to}.`, `Check it: ${check}`];
  printer.answer({ ...proof, path, keysPath }, { lines });
}

export async function spend(client: Client, printer: Printer, range: Query): Promise<void> {
  const overview = await client.call<BillingOverview>('GET', '/billing/overview');
  const path = withQuery('/billing/usage/streams', range);
  const { data: streams } = await client.call<{ data: StreamUsage[] }>('GET', path);
  const { creditsLeft, creditsPerHour, creditsExhaustedAt } = overview.billing;
  const rows = streams.map(({ name, streamID, liveSeconds, creditsSpent, bytesSent }) => ({
    stream: name ?? streamID,
    'live h': (liveSeconds / 3600).toFixed(2),
    credits: creditsSpent.toFixed(2),
    'sent GiB': (bytesSent / 1024 ** 3).toFixed(2),
  }));
  const until = creditsExhaustedAt === null ? 'nothing is live' : `they last until ${localTime(creditsExhaustedAt)}`;
  const lines = [`${creditsLeft.toFixed(2)} credits are left, ${creditsPerHour} an hour are used now: ${until}.`];
  printer.answer({ overview, streams }, { lines, rows });
}
