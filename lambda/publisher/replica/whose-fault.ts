// Whose fault it was that a connection ended: the destination's, the media's or ours.
import type { StateReason } from '../../data/streams.ts';
import type { RetryPace } from './backoff.ts';
import { MediaError } from '../media/media-error.ts';
import { NothingReadable, TooSlow } from './faults.ts';
import { DestinationError } from '../rtmp/destination-error.ts';
import type { DestinationErrorCode } from '../rtmp/destination-error.ts';

export interface Judgement {
  readonly reason: StateReason;
  readonly blame: 'destination' | 'media' | 'ours';
  readonly pace: RetryPace;
  readonly cause?: string;
}

/** How soon to try again, for the errors where the usual pace would be wrong. */
const paces: Partial<Record<DestinationErrorCode, RetryPace>> = {
  key_refused: 'rare',
  codec_refused: 'rare',
  login_required: 'rare',
  unanswered: 'eager',
  name_not_resolved: 'eager',
};

/** Whose fault an error was: it decides what the user reads, and how soon to try again. */
export function judge(error: unknown): Judgement {
  if (error instanceof DestinationError) {
    const pace = paces[error.code] ?? 'usual';
    return {
      reason: reasonOf(error),
      blame: 'destination',
      pace,
      ...(error.cause instanceof Error ? { cause: error.cause.message } : {}),
    };
  }
  if (error instanceof MediaError) return { reason: reasonOf(error), blame: 'media', pace: 'usual' };
  if (error instanceof TooSlow || error instanceof NothingReadable)
    return { reason: reasonOf(error), blame: 'ours', pace: 'usual' };
  const reason = { code: 'publisher_failed', detail: 'The publisher made a mistake and tries again.' };
  return {
    reason,
    blame: 'ours',
    pace: 'usual',
    cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

export function reasonOf({ code, detail }: { code: string; detail: string }): StateReason {
  return { code, detail };
}
