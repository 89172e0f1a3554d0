// Starts a stream, and follows it until a destination takes its media.
import { setTimeout } from 'node:timers/promises';
import type { Stream } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { LoopFailure } from './failure.ts';
import { percent } from './terminal.ts';
import type { Printer } from './terminal.ts';

const askedEveryMs = 500;
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
export async function untilLive(
  client: Client,
  streamID: string,
  { printer, timeoutSeconds }: StartOptions,
): Promise<Stream> {
  const deadline = performance.now() + timeoutSeconds * 1000;
  for (;;) {
    const stream = await client.call<Stream>('GET', `/streams/${streamID}`);
    if (stream.state === 'active') return stream;
    const reason = stream.stateReason?.detail ?? '';
    if (!onTheWay.has(stream.state))
      throw new LoopFailure('refused', `The stream is ${stream.state}. ${reason}`.trim());
    if (performance.now() > deadline)
      throw new LoopFailure(
        'too_late',
        `The stream is still ${stream.state} after ${timeoutSeconds} s. ${reason}`.trim(),
      );
    const share = stream.preparedShare === null ? '' : ` ${percent(stream.preparedShare)}`;
    printer.progress(stream.state === 'preparing' ? `Preparing the media:${share}` : `Starting: ${stream.state}`);
    await setTimeout(askedEveryMs);
  }
}
