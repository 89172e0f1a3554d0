// Takeovers that begin by time, at a planned beginning or in a window of an input, and follow the end of their window.
import type { Database } from '../../data/database.ts';
import type { LiveInput } from '../../data/live/live-inputs.ts';
import { inputWindowOf } from '../../domain/live/block-windows.ts';
import type { OpenWindow } from '../../domain/live/take-windows.ts';
import { blockWindowsNow, isWaiting, lookAgainAfter, readySession, refusalOfStream, showSession } from './takeovers.ts';

/** Begins a takeover that waits, if its time has come and its session is stable. */
export async function beginDueTakeover(
  data: Database,
  due: { readonly id: string; readonly user_id: string; readonly stream_id: string; readonly live_input_id: string },
  now: Date,
): Promise<void> {
  const stream = await data.streams.lock(due.user_id, due.stream_id);
  const open = stream && (await data.takeovers.openOf(stream.id));
  if (open?.id !== due.id || !isWaiting(open) || refusalOfStream(stream!) !== null) return;
  const input = await data.liveInputs.find(due.user_id, due.live_input_id);
  const found = input && (await readySession(data, input, now));
  if (!found || 'refusal' in found) return;
  const { id, start_at: startAt, end_at: endAt } = open;
  await showSession(data, stream!, input, { ...found, open, id, startAt, endAt, now });
}

/** Lets the stable session of an input take its stream over until the end of a window, once in the window. */
export async function takeOverInWindow(
  data: Database,
  { id, input: { id: inputID, user_id: userID, stream_id: streamID }, window, now }: TakeoverInWindow,
): Promise<void> {
  const stream = await data.streams.lock(userID, streamID);
  if (!stream || refusalOfStream(stream) !== null || (await data.takeovers.openOf(streamID))) return;
  const input = await data.liveInputs.find(userID, inputID);
  const found = input && (await readySession(data, input, now));
  if (!found || 'refusal' in found) return;
  // A user who hands a stream back does not want it taken over again a second later.
  const last = await data.takeovers.lastOf(streamID);
  if (last?.live_input_id === inputID && last.ended_at! >= (window.from ?? new Date(0))) return;
  const [endAt, lookAgainAt] = [window.until, lookAgainAfter(now)];
  await showSession(data, stream, input, { ...found, open: null, id, startAt: null, endAt, lookAgainAt, now });
}

/**
 * Moves the planned end of a takeover that follows a window to the end of that window; to now if there is no window any
 * more. If its input takes over always now, nothing ends it by time.
 */
export async function followWindow(
  data: Database,
  due: { readonly id: string; readonly user_id: string; readonly stream_id: string },
  now: Date,
): Promise<void> {
  const stream = await data.streams.lock(due.user_id, due.stream_id);
  const open = stream && (await data.takeovers.openOf(stream.id));
  if (!stream || open?.id !== due.id || !open.look_again_at || !open.live_input_id) return;
  const input = await data.liveInputs.lock(due.user_id, open.live_input_id);
  if (!input) return;
  if (input.takes === 'always') return void (await data.takeovers.planEnd(open.id, null, null));
  const window = inputWindowOf(input, await blockWindowsNow(data, stream, input, now), now);
  await data.takeovers.planEnd(open.id, window ? window.until : now, lookAgainAfter(now));
}

interface TakeoverInWindow {
  /** The id of the takeover. */
  readonly id: string;
  readonly input: Pick<LiveInput, 'id' | 'user_id' | 'stream_id'>;
  readonly window: OpenWindow;
  readonly now: Date;
}
