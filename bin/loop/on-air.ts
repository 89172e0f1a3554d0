// Starts a stream, and follows it until a destination takes its media, or until it is off air.
import { liveStates } from '../../lambda/domain/streams/stream-lifecycle.ts';
import { waitFor } from '../../lambda/surfaces/sdk/typescript/loop.ts';
import type { Stream } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { LoopFailure } from './failure.ts';
import { percent } from './terminal.ts';
import type { Printer } from './terminal.ts';

const everySeconds = 0.5;
/** The states of a stream on its way to the air. */
const onTheWay = new Set<Stream['state']>(['preparing', 'activating', 'scheduled', 'failing']);

export interface StartOptions {
  readonly printer: Printer;
  /** Longest wait, in seconds. */
  readonly timeoutSeconds: number;
}

/** @throws {LoopFailure} if the start is refused or fails, or takes too long */
export async function startAndWait(client: Client, streamID: string, options: StartOptions): Promise<Stream> {
  await client.call<Stream>('POST', `/streams/${streamID}/start`, undefined, { isRepeatable: true });
  return await untilLive(client, streamID, options);
}

/** @throws {LoopFailure} if the start fails, or takes too long */
export function untilLive(client: Client, streamID: string, options: StartOptions): Promise<Stream> {
  return follow(client, streamID, options, ({ state, stateReason }) => {
    if (state !== 'active' && !onTheWay.has(state))
      throw new LoopFailure('refused', `The stream is ${state}. ${stateReason?.detail ?? ''}`.trim());
    return state === 'active';
  });
}

/** @throws {LoopFailure} if the stop takes too long */
export function untilOffAir(client: Client, streamID: string, options: StartOptions): Promise<Stream> {
  return follow(client, streamID, options, ({ state }) => !liveStates.includes(state));
}

function follow(
  client: Client,
  streamID: string,
  { printer, timeoutSeconds }: StartOptions,
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
  return waitFor(read, isAsWanted, { timeoutSeconds, late, everySeconds });
}
