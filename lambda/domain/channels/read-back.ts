// Read-back: when to ask a platform about a live broadcast, and whether its answer contradicts our evidence.
import type { StreamState } from '../streams/stream-lifecycle.ts';

const hour = 3600;
/** Interval of looks without a fault, in seconds: six a day, since each costs quota. */
const usualSeconds = 4 * hour;
/** Interval while the platform or our evidence reports a fault. */
const suspiciousSeconds = 15 * 60;
/** Seconds until a contradiction counts, since both sides see a change late. */
export const disagreementSeconds = 60;

/** A platform's view of the media that it receives. */
export interface PlatformView {
  readonly ingest: 'active' | 'inactive' | 'unknown';
  readonly health: 'good' | 'ok' | 'bad' | 'no_data' | 'unknown';
}

/**
 * Whether a platform reports no or bad media for a stream although agents have evidence that it takes them. A
 * contradiction is shown and notified, and changes nothing else.
 */
export function contradicts(view: PlatformView, state: StreamState): boolean {
  return state === 'active' && (view.ingest === 'inactive' || view.health === 'bad' || view.health === 'no_data');
}

/** @param random uniform in [0, 1), which spreads the looks at many broadcasts */
export function nextLookAt(
  now: Date,
  { disagreesSince, state }: { readonly disagreesSince: Date | null; readonly state: StreamState },
  random: () => number,
): Date {
  const isNew = disagreesSince !== null && now.getTime() - disagreesSince.getTime() < disagreementSeconds * 1000;
  const usual = disagreesSince !== null || state === 'failing' ? suspiciousSeconds : usualSeconds;
  const seconds = isNew ? disagreementSeconds : usual * (1 - random() / 10);
  return new Date(now.getTime() + seconds * 1000);
}

/** Seconds between counts of viewers. One call covers fifty broadcasts. */
export const viewersEverySeconds = 300;
export const broadcastsPerCount = 50;

/** Seconds between checks of a grant, which also read the channel's title. YouTube's rules demand 30 days. */
const verifySeconds = 24 * hour;

export function nextVerifyAt(now: Date, random: () => number): Date {
  return new Date(now.getTime() + verifySeconds * (1 - random() / 10) * 1000);
}
