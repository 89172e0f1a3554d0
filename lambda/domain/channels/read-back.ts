// When to ask a platform how a live broadcast does, and whether what it says contradicts our own evidence.
import type { StreamState } from '../streams/stream-lifecycle.ts';

const hour = 3600;
/** Each look costs units of the day's quota: six a day, unless something is wrong. */
const usualSeconds = 4 * hour;
/** While the platform or our evidence says that something is wrong. */
const suspiciousSeconds = 15 * 60;
/** A contradiction counts once it has lasted for so long: both sides see a change late. */
export const disagreementSeconds = 60;

/** What a platform says of what it gets. */
export interface PlatformView {
  readonly ingest: 'active' | 'inactive' | 'unknown';
  readonly health: 'good' | 'ok' | 'bad' | 'no_data' | 'unknown';
}

/**
 * Whether the platform says of a stream, for which agents have evidence that media are taken, that it gets none or that
 * they are bad. Nothing is concluded from it: it is shown and told.
 */
export function contradicts(view: PlatformView, state: StreamState): boolean {
  return state === 'active' && (view.ingest === 'inactive' || view.health === 'bad' || view.health === 'no_data');
}

/** @param random uniform in [0, 1): looks at many broadcasts are spread */
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

/** How often viewers are counted. Fifty broadcasts are asked for in one call. */
export const viewersEverySeconds = 300;
export const broadcastsPerCount = 50;

/** A grant is shown to be good, and the channel's title read, about once a day. YouTube's rules ask for 30 days. */
const verifySeconds = 24 * hour;

export function nextVerifyAt(now: Date, random: () => number): Date {
  return new Date(now.getTime() + verifySeconds * (1 - random() / 10) * 1000);
}
