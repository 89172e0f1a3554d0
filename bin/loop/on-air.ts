// Starts, stops and steers a stream, and follows it until it is on or off air.
import { existsSync } from 'node:fs';
import { liveStates } from '../../lambda/domain/streams/stream-lifecycle.ts';
import { waitFor } from '../../lambda/surfaces/sdk/typescript/loop.ts';
import type { Stream, Upload } from '../../lambda/web/app/types.ts';
import { LoopFailure } from './failure.ts';
import { readMediaFile, sendAll } from './send-files.ts';
import { findStream, pick } from './session.ts';
import type { Given, Session } from './session.ts';
import { timelineRows, titleOf } from './stream-answers.ts';
import { localTime, percent } from './terminal.ts';

/** The states of a stream on its way to the air. */
const onTheWay = new Set<Stream['state']>(['preparing', 'activating', 'scheduled', 'failing']);

/** @throws {LoopFailure} if the start is refused or fails, or takes too long */
export async function startAndWait(session: Session, streamID: string): Promise<Stream> {
  await session.client.call('POST', `/streams/${streamID}/start`, undefined, { isRepeatable: true });
  return await untilLive(session, streamID);
}

/** @throws {LoopFailure} if the start fails, or takes too long */
export function untilLive(session: Session, streamID: string): Promise<Stream> {
  return follow(session, streamID, ({ state, stateReason }) => {
    if (state !== 'active' && !onTheWay.has(state))
      throw new LoopFailure('refused', `The stream is ${state}. ${stateReason?.detail ?? ''}`.trim());
    return state === 'active';
  });
}

/** @throws {LoopFailure} if the stop takes too long */
export function untilOffAir(session: Session, streamID: string): Promise<Stream> {
  return follow(session, streamID, ({ state }) => !liveStates.includes(state));
}

function follow(
  { client, printer, timeoutSeconds }: Session,
  streamID: string,
  isDone: (stream: Stream) => boolean,
): Promise<Stream> {
  const isAsWanted = (stream: Stream) => {
    if (isDone(stream)) return true;
    const { state, preparedShare } = stream;
    const share = preparedShare === null ? '' : ` ${percent(preparedShare)}`;
    printer.progress(state === 'preparing' ? `Preparing the media:${share}` : `The stream is ${state}`);
    return false;
  };
  const late = ({ state, stateReason }: Stream) => {
    const reason = stateReason?.detail ?? '';
    return new LoopFailure('too_late', `The stream is still ${state} after ${timeoutSeconds} s. ${reason}`.trim());
  };
  const read = () => client.call<Stream>('GET', `/streams/${streamID}`);
  return waitFor(read, isAsWanted, { timeoutSeconds, late, everySeconds: 0.5 });
}

export function stateLine({ name, id, state, creditsPerHour }: Stream): string {
  return `${name ?? id} is ${state === 'active' ? `live, for ${creditsPerHour} credits an hour` : state}.`;
}

/** `loop start` @throws {LoopFailure} */
export async function start(session: Session, given: Given): Promise<void> {
  const { id } = await findStream(session, given);
  const stream = await startAndWait(session, id);
  session.printer.answer(stream, { lines: [stateLine(stream)] });
}

/** `loop stop` @throws {LoopFailure} */
export async function stop(session: Session, given: Given, options: { readonly endRecurrence?: true }): Promise<void> {
  const { id } = await findStream(session, given);
  const body = { endsRecurrence: options.endRecurrence === true };
  const stream = await session.client.call<Stream>('POST', `/streams/${id}/stop`, body, { isRepeatable: true });
  session.printer.answer(stream, { lines: [stateLine(stream)] });
}

/** `loop skip` @throws {LoopFailure} also if nothing plays */
export async function skip(session: Session, given: Given, { next }: { readonly next?: true }): Promise<void> {
  const { id, name } = await findStream(session, given);
  const row = (await timelineRows(session, id, { limit: 2 }))[next ? 1 : 0];
  if (!row) throw new LoopFailure('refused', `${name ?? id} plays nothing that could be skipped.`);
  const body = { startAt: row.startAt, uploadID: row.uploadID };
  const skipped = await session.client.call<{ takesOverAt: string }>('POST', `/streams/${id}/skip`, body);
  const lines = [`${titleOf(row)} is skipped at ${localTime(skipped.takesOverAt)}.`];
  session.printer.answer({ ...skipped, ...body }, { lines });
}

/**
 * `loop next`: plays a file or an upload once, after the item that plays now. It waits while the stream prepares it.
 * @param given the path of a file, which is sent; else the name or id of an upload
 * @throws {LoopFailure}
 */
export async function playNext(session: Session, given: string, streamGiven: Given): Promise<void> {
  const { client, printer, timeoutSeconds } = session;
  const { id } = await findStream(session, streamGiven);
  const upload = await sendOrFind(session, given);
  const isPlaced = ({ startsAt }: { readonly startsAt: string | null }) => {
    if (startsAt === null) printer.progress(`Preparing ${upload.name} for the stream`);
    return startsAt !== null;
  };
  const late = () =>
    new LoopFailure('too_late', `${upload.name} is not prepared after ${timeoutSeconds} s. Run the command again.`);
  const place = () =>
    client.call<{ startsAt: string | null }>('POST', `/streams/${id}/play-next`, { uploadID: upload.id });
  const { startsAt } = await waitFor(place, isPlaced, { timeoutSeconds, late, everySeconds: 2 });
  printer.answer({ upload, startsAt }, { lines: [`${upload.name} plays at ${localTime(startsAt)}.`] });
}

async function sendOrFind(session: Session, given: string): Promise<Upload> {
  const { client } = session;
  if (existsSync(given)) return (await sendAll(session, [await readMediaFile(given)]))[0]!;
  if (given.startsWith('upl_')) return await client.call<Upload>('GET', `/uploads/${given}`);
  return pick(await client.all<Upload>(`/uploads?q=${encodeURIComponent(given)}`), given, 'upload');
}
