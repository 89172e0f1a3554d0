// Takeovers that begin by time, at a planned beginning or in a window of an input, and follow the end of their window.
import type { Database } from '../../data/database.ts';
import type { LiveInput } from '../../data/live/live-inputs.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { inputWindowOf } from '../../domain/live/block-windows.ts';
import type { OpenWindow } from '../../domain/live/take-windows.ts';
import { blockWindowsNow, isWaiting, lookAgainAfter, readySession, refusalOfStream, showSession } from './takeovers.ts';

/** Begins a takeover that waits, if its time has come and its session is stable. */
export async function beginDueTakeover(
  data: Database,
  due: { readonly id: string; readonly user_id: string; readonly stream_id: string; readonly live_input_id: string },
  now: Date,
): Promise<void> {
  const locked = await lockStream(data, due);
  if (!locked?.open || locked.open.id !== due.id || !isWaiting(locked.open)) return;
  const ready = await readyInput(data, due.user_id, due.live_input_id, now);
  if (!ready) return;
  const { stream, open } = locked;
  const { id, start_at: startAt, end_at: endAt } = open;
  await showSession(data, stream, ready.input, { ...ready, open, id, startAt, endAt, now });
}

/** Lets the stable session of an input take its stream over until the end of a window, once in the window. */
export async function takeOverInWindow(data: Database, { id, input, window, now }: TakeoverInWindow): Promise<void> {
  const locked = await lockStream(data, input);
  if (!locked || locked.open) return;
  const ready = await readyInput(data, input.user_id, input.id, now);
  if (!ready) return;
  // A user who hands a stream back does not want it taken over again a second later.
  const last = await data.takeovers.lastOf(input.stream_id);
  if (last?.live_input_id === input.id && last.ended_at! >= (window.from ?? new Date(0))) return;
  const ends = { endAt: window.until, lookAgainAt: lookAgainAfter(now) };
  await showSession(data, locked.stream, ready.input, { ...ready, open: null, id, startAt: null, ...ends, now });
}

/** Locks a stream, unless another transaction has locked it. @returns null: another one has, or it is deleted */
async function lockFree(data: Database, of: { readonly stream_id: string }): Promise<Locked<Stream> | null> {
  const [stream] = await data.streams.lockFree([of.stream_id]);
  return stream?.deleted_at === null ? stream : null;
}

/** Locks a stream that a contributor can take over, with its open takeover; null: none can now. */
async function lockStream(data: Database, of: { readonly stream_id: string }) {
  const stream = await lockFree(data, of);
  if (!stream || refusalOfStream(stream) !== null) return null;
  return { stream, open: await data.takeovers.openOf(stream.id) };
}

/** An input with its stable session; null: it has none. */
async function readyInput(data: Database, userID: string, inputID: string, now: Date) {
  const input = await data.liveInputs.find(userID, inputID);
  const found = input && (await readySession(data, input, now));
  return !found || 'refusal' in found ? null : { input, session: found.session };
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
  const stream = await lockFree(data, due);
  const open = stream && (await data.takeovers.openOf(stream.id));
  if (!stream || open?.id !== due.id || !open.look_again_at || !open.live_input_id) return;
  // Another ingest has looked since this one read which are due.
  if (open.look_again_at > now) return;
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
