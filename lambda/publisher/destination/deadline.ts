// A time limit for work at a destination.
import { DestinationError } from './destination-error.ts';

/**
 * Runs work that has to end in time.
 * @param work gets a signal that aborts when the time is over, and when `signal` aborts
 * @throws the reason of `signal` once it aborts; {DestinationError} timed_out when the time is over
 */
export async function withinTime<Result>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    throw deadline.aborted ? new DestinationError('timed_out', error) : error;
  }
}
