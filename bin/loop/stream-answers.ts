// The answers of `loop` about streams: status, timeline, proof, spending, and what happens as it comes.
import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type * as api from '../../lambda/web/app/types.ts';
import { LoopFailure } from './failure.ts';
import { findStream } from './session.ts';
import type { Given, Session } from './session.ts';
import { clock, localTime } from './terminal.ts';

/** `loop status` @throws {LoopFailure} */
export async function status(session: Session, given: Given): Promise<void> {
  const { client, printer } = session;
  const streams = given === undefined ? await client.all<api.Stream>('/streams') : [await findStream(session, given)];
  const { data: incidents } = await client.call<{ data: api.Incident[] }>('GET', '/incidents?open=true&limit=100');
  const rows = streams.map((stream) => ({
    stream: stream.name ?? '-',
    id: stream.id,
    state: stream.state,
    since: localTime(stream.state === 'active' ? stream.startedAt : (stream.transitions[0]?.at ?? stream.createdAt)),
    outputs: `${stream.outputs.filter(({ state }) => state === 'live').length}/${stream.outputs.length} live`,
    'credits/h': stream.creditsPerHour,
  }));
  const faults = incidents.filter(({ streamID }) => given === undefined || streamID === streams[0]!.id);
  const reasons = streams.filter(({ stateReason }) => stateReason !== null);
  const lines = [
    ...(rows.length === 0 ? ['There is no stream yet: loop up FOLDER --to DESTINATION'] : []),
    ...reasons.map(({ name, id, stateReason }) => `${name ?? id}: ${stateReason!.detail}`),
    ...faults.map(({ detail, viewers, advice }) => `Incident: ${detail} ${viewers} ${advice}`),
    ...(given === undefined ? [] : await nowAndNext(session, streams[0]!)),
  ];
  printer.answer({ streams, incidents: faults }, { lines, rows });
}

async function nowAndNext(session: Session, { id, state }: api.Stream): Promise<readonly string[]> {
  const [now, next] = state === 'active' ? await timelineRows(session, id, { limit: 2 }) : [];
  return [
    ...(now ? [`Now: ${titleOf(now)} until ${localTime(now.endAt)}`] : []),
    ...(next ? [`Next: ${titleOf(next)}`] : []),
  ];
}

/** Parameters of a list; undefined ones are left out. */
type Query = Readonly<Record<string, string | number | undefined>>;

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

export async function timelineRows({ client }: Session, streamID: string, query: Query): Promise<api.TimelineRow[]> {
  const path = withQuery(`/streams/${streamID}/timeline`, query);
  return (await client.call<{ data: api.TimelineRow[] }>('GET', path)).data;
}

export function titleOf({ title, artist, name, uploadID }: api.TimelineRow): string {
  return [title ?? name ?? uploadID, artist].filter((part) => part !== null).join(' – ');
}

/** `loop timeline` @throws {LoopFailure} */
export async function timeline(session: Session, given: Given, options: Query): Promise<void> {
  const { from, to, track, limit } = options;
  const stream = await findStream(session, given);
  const found = await timelineRows(session, stream.id, { from, to, track, limit });
  const rows = found.map((row) => ({
    start: localTime(row.startAt),
    length: clock((Date.parse(row.endAt) - Date.parse(row.startAt)) / 1000),
    item: titleOf(row),
    kind: row.kind,
    aired: row.aired === null ? '' : row.aired.length > 0 ? 'yes' : 'no',
  }));
  const lines = rows.length === 0 ? [`${stream.name ?? stream.id} plays nothing in this time.`] : [];
  session.printer.answer(found, { lines, rows });
}

export interface ProofOptions {
  /** A day in UTC, as 2030-01-31; undefined: today until now. */
  readonly day?: string;
  /** Path of the statement; the keys are beside it. Undefined: named by the stream and the day. */
  readonly output?: string;
}

/** `loop prove`: writes the signed statement of a day, and the public keys of now, because keys are replaced. */
export async function prove(session: Session, given: Given, { day, output }: ProofOptions): Promise<void> {
  const { client, printer } = session;
  const { id } = await findStream(session, given);
  const address = withQuery(`/streams/${id}/proof`, { day });
  const proof = await client.call<{ from: string; to: string; statement: string }>('GET', address);
  const path = output ?? `${id}-${proof.from.slice(0, 10)}.jws`;
  const keysPath = `${path.replace(/\.jws$/, '')}.jwks.json`;
  const keys = await fetch(new URL('/api/auth/jwks', client.apiURL)).catch(() => null);
  if (!keys?.ok) throw new LoopFailure('unreachable', 'The public keys of the platform cannot be read. Try again.');
  await writeFile(path, `${proof.statement}\n`);
  await writeFile(keysPath, await keys.text());
  const check = `node bin/verify-on-air.mjs ${path} ${keysPath} [FILE…]`;
  const lines = [`${path} states what was on air from ${proof.from} to ${proof.to}.`, `Check it: ${check}`];
  printer.answer({ ...proof, path, keysPath }, { lines });
}

/** `loop spend` @throws {LoopFailure} */
export async function spend({ client, printer }: Session, { from, to }: Query): Promise<void> {
  const overview = await client.call<api.BillingOverview>('GET', '/billing/overview');
  const path = withQuery('/billing/usage/streams', { from, to });
  const { data: streams } = await client.call<{ data: api.StreamUsage[] }>('GET', path);
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

const askedEveryMs = 1000;

/** `loop tail`: prints states, items and incidents as they come, until the process is interrupted. */
export async function tail(session: Session, given: Given): Promise<void> {
  const { client, printer } = session;
  const { id: streamID } = await findStream(session, given);
  let { cursor } = await client.call<api.Changes>('GET', '/changes');
  let stream = await client.call<api.Stream>('GET', `/streams/${streamID}`);
  const seen = new Map<string, string>();
  /** Prints a thing once in each of its states. */
  const tell = (id: string, state: string, data: object, line: string) => {
    if (seen.get(id) !== state) printer.event(data, `${localTime(new Date().toISOString())}  ${line}`);
    seen.set(id, state);
  };
  const tellStream = () => {
    const { id, state, stateReason, outputs } = stream;
    const reason = stateReason === null ? '' : ` ${stateReason.detail}`;
    tell(id, state + reason, { event: 'state', streamID: id, state, reason: stateReason }, `${state}${reason}`);
    for (const output of outputs) {
      const name = output.name ?? output.destinationID;
      const why = output.reason === null ? '' : `: ${output.reason.detail}`;
      tell(output.id, output.state, { event: 'output', ...output }, `output ${name} ${output.state}${why}`);
    }
  };
  const tellIncidents = async () => {
    const { data } = await client.call<{ data: readonly api.Incident[] }>('GET', '/incidents?limit=20');
    for (const incident of data.filter((each) => each.streamID === streamID).reverse()) {
      const { id, endedAt, detail, advice } = incident;
      const state = endedAt === null ? 'began' : 'ended';
      if (state === 'began' || seen.has(id))
        tell(id, state, { event: 'incident', ...incident }, `incident ${state}: ${detail} ${advice}`);
    }
  };
  let nextItemMs = 0;
  const tellItem = async () => {
    const [row] = stream.state === 'active' ? await timelineRows(session, streamID, { limit: 1 }) : [];
    nextItemMs = Date.parse(row?.endAt ?? '') || Date.now() + askedEveryMs;
    if (row && Date.parse(row.startAt) <= Date.now())
      tell('item', row.startAt, { event: 'item', ...row }, `plays ${titleOf(row)} until ${localTime(row.endAt)}`);
  };
  tellStream();
  await tellIncidents();
  for (;;) {
    if (Date.now() >= nextItemMs) await tellItem();
    await setTimeout(askedEveryMs);
    const changes = await client.call<api.Changes>('GET', `/changes?since=${encodeURIComponent(cursor)}`);
    ({ cursor } = changes);
    const has = (kind: string) => changes.reset || changes.changed.some((change) => change.kind === kind);
    if (has('incident')) await tellIncidents();
    if (!has('stream')) continue;
    stream = await client.call<api.Stream>('GET', `/streams/${streamID}`);
    tellStream();
    nextItemMs = 0;
  }
}
