// Whose fault it was that a connection ended: the destination's, the media's or ours.
import type { StateReason } from '../../domain/streams/stream-words.ts';
import { failsAfterMs } from '../../domain/fleet/off-air.ts';
import type { RetryPace } from './backoff.ts';
import { MediaError } from '../media/media-error.ts';
import { NoRoom, NothingReadable, TooSlow } from './faults.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { DestinationErrorCode } from '../destination/destination-error.ts';

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
  if (error instanceof TooSlow || error instanceof NothingReadable || error instanceof NoRoom)
    return { reason: reasonOf(error), blame: 'ours', pace: 'usual' };
  const reason = { code: 'publisher_failed', detail: 'The publisher made a mistake and tries again.' };
  return {
    reason,
    blame: 'ours',
    pace: 'usual',
    cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** Why a stream has failed for good whose destination took nothing for hours. */
export function givenUp(last: StateReason): StateReason {
  const hours = failsAfterMs / 3_600_000;
  return {
    code: 'given_up',
    detail:
      `The destination took no media for ${hours} hours. At last: ${last.detail} ` +
      'Mend that, and start the stream again.',
  };
}

export function reasonOf({ code, detail }: { code: string; detail: string }): StateReason {
  return { code, detail };
}
