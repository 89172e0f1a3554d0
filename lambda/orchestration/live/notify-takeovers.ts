// Events of live inputs and takeovers for webhooks.
import type { Database } from '../../data/database.ts';
import type { LiveInput } from '../../data/live/live-inputs.ts';
import type { Takeover, TakeoverEnd } from '../../data/live/takeovers.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { TakeoverInterval } from '../../domain/live/takeover-intervals.ts';
import type { SessionEnd } from '../../domain/live/session-end.ts';
import type { SignalLossReason } from '../../domain/live/signal-loss.ts';

type Events = Pick<Database, 'webhooks'>;

/**
 * A session of an input can be shown, or one that could has ended, or is silent or black. Shorter sessions cause no
 * events, so a contributor who comes and goes causes few.
 * @param endReason null: it can be shown
 */
export async function notifyOfInput(
  { webhooks }: Events,
  input: Pick<LiveInput, 'id' | 'user_id' | 'stream_id'>,
  { sessionID, endReason }: { readonly sessionID: string; readonly endReason: SessionEnd | SignalLossReason | null },
): Promise<void> {
  const { id: liveInputID, user_id: userID, stream_id: streamID } = input;
  const state = endReason === null ? 'ready' : 'idle';
  await webhooks.notify(userID, 'live_input.changed', streamID, {
    liveInputID,
    streamID,
    liveSessionID: sessionID,
    state,
    endReason,
  });
}

/** A takeover, or the next session within it, will be shown. */
export async function notifyOfBegin(
  { webhooks }: Events,
  stream: Pick<Stream, 'id' | 'user_id'>,
  begun: {
    readonly takeoverID: string;
    readonly liveInputID: string;
    readonly interval: TakeoverInterval;
    readonly shownAt: Date;
  },
): Promise<void> {
  const { interval, ...facts } = begun;
  const event = { streamID: stream.id, liveSessionID: interval.sessionID, ...facts };
  await webhooks.notify(stream.user_id, 'takeover.began', stream.id, event);
}

/** A takeover has ended, and the stream returns to its loop, or has. */
export async function notifyOfEnd(
  { webhooks }: Events,
  stream: Pick<Stream, 'id' | 'user_id'>,
  { id: takeoverID, live_input_id: liveInputID }: Takeover,
  end: { readonly reason: TakeoverEnd; readonly returnsAt: Date },
): Promise<void> {
  const event = { streamID: stream.id, takeoverID, liveInputID, ...end };
  await webhooks.notify(stream.user_id, 'takeover.ended', stream.id, event);
}
