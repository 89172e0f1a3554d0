// Judges why a connection ended: by fault of the destination, of the media, or ours.
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

/** The retry pace of errors for which the usual pace would be wrong. */
const paces: Partial<Record<DestinationErrorCode, RetryPace>> = {
  key_refused: 'rare',
  codec_refused: 'rare',
  login_required: 'rare',
  unanswered: 'eager',
  protocol_violated: 'wary',
  upload_unaccepted: 'wary',
};

/** Judges an error: the reason for the user, the party at fault, and the retry pace. */
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
  const reason = { code: 'publisher_failed', detail: 'The publisher failed, and retries.' };
  return {
    reason,
    blame: 'ours',
    pace: 'usual',
    cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** The reason of a stream that failed because its destination accepted nothing for hours. */
export function givenUp(last: StateReason): StateReason {
  const hours = failsAfterMs / 3_600_000;
  return {
    code: 'given_up',
    detail:
      `The destination took no media for ${hours} hours. The last error: ${last.detail} ` +
      'Fix this, and start the stream again.',
  };
}

export function reasonOf({ code, detail }: { code: string; detail: string }): StateReason {
  return { code, detail };
}
