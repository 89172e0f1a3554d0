// Whose fault it was that a connection ended: the destination's, the media's or ours.
import type { StateReason } from '../data/streams.ts';
import type { RetryPace } from './backoff.ts';
import { MediaError } from './media/media-error.ts';
import { TooSlow } from './paced-sender.ts';
import { NothingReadable } from './prepared/track-reader.ts';
import { DestinationError } from './rtmp/destination-error.ts';
import type { DestinationErrorCode } from './rtmp/destination-error.ts';

export interface Judgement {
  readonly reason: StateReason;
  readonly blame: 'destination' | 'media' | 'ours';
  readonly pace: RetryPace;
  readonly cause?: string;
}

/** Where it is not the usual one. */
const paces: Partial<Record<DestinationErrorCode, RetryPace>> = {
  key_refused: 'rare',
  codec_refused: 'rare',
  login_required: 'rare',
  unanswered: 'eager',
  name_not_resolved: 'eager',
};

/** Whose fault it was decides what the user reads, and whether trying again can help. */
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
