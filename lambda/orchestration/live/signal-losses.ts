// Sessions that are silent or black for as long as their inputs allow: they are lost, and return. Decision D257.
import type { Database } from '../../data/database.ts';
import type { LiveInput } from '../../data/live/live-inputs.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { presentLoss, returnedSeconds, signalLoss, withLoss, withReturn } from '../../domain/live/signal-loss.ts';
import type { SessionSignal } from '../../domain/live/signal-loss.ts';
import { handBackFrame } from '../../domain/live/takeover-plan.ts';
import { sessionStartFrame } from '../../domain/live/takeover-intervals.ts';
import { gopSeconds } from '../../domain/playout/rendition.ts';
import { notifyOfInput } from './notify-takeovers.ts';
import { loseInterval, plannedRun, stableSecondsOf, timeOf } from './takeovers.ts';

interface ReportedSignal {
  readonly sessionID: string;
  readonly signal: SessionSignal;
  readonly now: Date;
}

/**
 * Loses a running session by its signal, or records that it has returned.
 * @returns whether it is lost. One that returned may take over as a stable session does
 */
export async function applySignal(
  data: Database,
  stream: Locked<Stream>,
  input: LiveInput,
  { sessionID, signal, now }: ReportedSignal,
): Promise<boolean> {
  const session = await data.liveSessions.runningOf(input.id);
  if (session?.id !== sessionID || session.first_picture_at === null) return false;
  if (presentLoss(session.losses)) {
    const seconds = returnedSeconds(signal, input.lost_after, await stableSecondsOf(data, input));
    if (seconds === null) return true;
    const returnedAt = new Date(session.first_picture_at.getTime() + seconds * 1000);
    await data.liveSessions.setLosses(sessionID, withReturn(session.losses, returnedAt));
    return false;
  }
  const loss = signalLoss(signal, input.lost_after);
  if (!loss) return false;
  await data.liveSessions.setLosses(sessionID, withLoss(session.losses, loss.reason, now));
  if (session.segment_count * gopSeconds >= input.stable_seconds)
    await notifyOfInput(data, input, { sessionID, endReason: loss.reason });
  await leaveSession(data, stream, { sessionID, fromSeconds: loss.fromSeconds, now });
  return true;
}

/**
 * Returns a stream that shows a session to its timeline as soon as all agents can know of it, but not before viewers
 * have seen all that came before the silence or the black. The takeover waits for the return of the session.
 */
async function leaveSession(
  data: Database,
  stream: Locked<Stream>,
  { sessionID, fromSeconds, now }: { readonly sessionID: string; readonly fromSeconds: number; readonly now: Date },
): Promise<void> {
  const open = await data.takeovers.openOf(stream.id);
  const interval = open?.intervals.at(-1);
  if (!open || interval?.sessionID !== sessionID || interval.toFrame !== null) return;
  const run = await plannedRun(data, stream, now);
  const startFrame = sessionStartFrame(interval, gopSeconds * run.framesPerSecond);
  const notBefore = timeOf(run, startFrame + Math.ceil(fromSeconds * run.framesPerSecond));
  await loseInterval(data, run, open.id, { interval, leaveFrame: handBackFrame(run, interval, { now, notBefore }) });
}
