// `loop tail`: prints states, items and incidents as they come.
import { setTimeout } from 'node:timers/promises';
import type { Incident, Stream } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { timelineRows, titleOf } from './stream-answers.ts';
import { localTime } from './terminal.ts';
import type { Printer } from './terminal.ts';

interface Changes {
  readonly cursor: string;
  readonly reset: boolean;
  readonly changed: readonly { readonly kind: string; readonly id: string; readonly deleted: boolean }[];
}

const askedEveryMs = 1000;

/** Follows a stream until the process is interrupted. */
export async function tail(client: Client, printer: Printer, streamID: string): Promise<void> {
  let { cursor } = await client.call<Changes>('GET', '/changes');
  let stream = await client.call<Stream>('GET', `/streams/${streamID}`);
  const seen = new Map<string, string>();
  /** Prints a thing once in each of its states. */
  const tell = (id: string, state: string, data: object, line: string) => {
    if (seen.get(id) === state) return;
    seen.set(id, state);
    printer.event(data, `${localTime(new Date().toISOString())}  ${line}`);
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
    const { data } = await client.call<{ data: readonly Incident[] }>('GET', '/incidents?limit=20');
    for (const incident of data.filter((each) => each.streamID === streamID).reverse()) {
      const state = incident.endedAt === null ? 'began' : 'ended';
      if (state === 'ended' && !seen.has(incident.id)) continue;
      tell(
        incident.id,
        state,
        { event: 'incident', ...incident },
        `incident ${state}: ${incident.detail} ${incident.advice}`,
      );
    }
  };
  let nextItemMs = 0;
  const tellItem = async () => {
    const [row] = stream.state === 'active' ? await timelineRows(client, streamID, { limit: 1 }) : [];
    nextItemMs = Date.parse(row?.endAt ?? '') || Date.now() + askedEveryMs;
    if (row && Date.parse(row.startAt) <= Date.now())
      tell('item', row.startAt, { event: 'item', ...row }, `plays ${titleOf(row)} until ${localTime(row.endAt)}`);
  };
  tellStream();
  await tellIncidents();
  for (;;) {
    if (Date.now() >= nextItemMs) await tellItem();
    await setTimeout(askedEveryMs);
    const changes = await client.call<Changes>('GET', `/changes?since=${encodeURIComponent(cursor)}`);
    ({ cursor } = changes);
    const has = (kind: string) => changes.reset || changes.changed.some((change) => change.kind === kind);
    if (has('incident')) await tellIncidents();
    if (!has('stream')) continue;
    stream = await client.call<Stream>('GET', `/streams/${streamID}`);
    tellStream();
    nextItemMs = 0;
  }
}
