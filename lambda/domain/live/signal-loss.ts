// Losses of sessions whose contributors stay connected, but send silence or black pictures for long. Decision D257.
import { gopSeconds } from '../playout/rendition.ts';

export const signalLossReasons = ['silent', 'black'] as const;
export type SignalLossReason = (typeof signalLossReasons)[number];

/** The time after which a session is lost. */
export interface LostAfter {
  /** Null: never. */
  readonly silenceSeconds: number | null;
  /** Null: never. */
  readonly blackSeconds: number | null;
}

export const neverLost: LostAfter = { silenceSeconds: null, blackSeconds: null };
export const lostAfterSeconds = { least: 5, most: 600 } as const;

/** Sound that can be heard, or pictures that can be seen, by the time of their session. */
export interface Presence {
  /** The last time of it, in seconds from the first picture. */
  readonly lastSeconds: number;
  /** The time since which there is some, with short pauses at most; null: there is none now. */
  readonly sinceSeconds: number | null;
}

/** The present signal of a session. */
export interface SessionSignal {
  /** The time of the session, in seconds from the first picture. */
  readonly atSeconds: number;
  /** Null: the session never had a sound track, so it is not silent. */
  readonly sound: Presence | null;
  readonly pictures: Presence;
}

/** A loss of a session by its signal, as it is stored. */
export interface SignalLoss {
  readonly reason: SignalLossReason;
  /** ISO 8601. */
  readonly lostAt: string;
  /** The arrival of the first group that can be shown again, in ISO 8601; null: it has not returned. */
  readonly returnedAt: string | null;
}

/** Losses of a session that are kept. Two of them make the next return wait, so more are never counted. */
const keptLosses = 20;

/** The losses of a session with one more. @param losses the oldest first */
export function withLoss(losses: readonly SignalLoss[], reason: SignalLossReason, now: Date): SignalLoss[] {
  return [...losses, { reason, lostAt: now.toISOString(), returnedAt: null }].slice(-keptLosses);
}

/** The losses of a session that has returned from the last one. */
export function withReturn(losses: readonly SignalLoss[], returnedAt: Date): SignalLoss[] {
  return losses.map((loss) => (loss.returnedAt === null ? { ...loss, returnedAt: returnedAt.toISOString() } : loss));
}

/** The loss that a session has not returned from; null: it is not lost. */
export function presentLoss(losses: readonly SignalLoss[]): SignalLoss | null {
  return losses.find(({ returnedAt }) => returnedAt === null) ?? null;
}

/** Whether any input could count a session as lost. */
export function mayBeLost(signal: SessionSignal): boolean {
  const { least } = lostAfterSeconds;
  return signalLoss(signal, { silenceSeconds: least, blackSeconds: least }) !== null;
}

/**
 * The reason to count a session as lost, and the time of the session since which it is silent or black.
 * @returns null: there is none
 */
export function signalLoss(
  { atSeconds, sound, pictures }: SessionSignal,
  { silenceSeconds, blackSeconds }: LostAfter,
): { readonly reason: SignalLossReason; readonly fromSeconds: number } | null {
  const isOver = ({ lastSeconds }: Presence, seconds: number | null) =>
    seconds !== null && atSeconds - lastSeconds >= seconds;
  if (isOver(pictures, blackSeconds)) return { reason: 'black', fromSeconds: pictures.lastSeconds };
  if (sound && isOver(sound, silenceSeconds)) return { reason: 'silent', fromSeconds: sound.lastSeconds };
  return null;
}

/**
 * The beginning of the part of a session that can be shown after a loss: its first group with all that its input asks
 * for.
 * @param stableSeconds for which it has to be there
 * @returns seconds; null: it is lost still
 */
export function returnedSeconds(
  { atSeconds, sound, pictures }: SessionSignal,
  { silenceSeconds, blackSeconds }: LostAfter,
  stableSeconds: number,
): number | null {
  const wanted = [...(blackSeconds === null ? [] : [pictures]), ...(silenceSeconds === null || !sound ? [] : [sound])];
  const since = wanted.map(({ sinceSeconds }) => sinceSeconds ?? Infinity);
  const fromSeconds = Math.max(0, ...since);
  // A segment takes two seconds, so the wish is met by the segment in which it lies.
  if (atSeconds - fromSeconds < stableSeconds - gopSeconds) return null;
  return Math.ceil(fromSeconds / gopSeconds) * gopSeconds;
}
