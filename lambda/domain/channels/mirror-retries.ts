// Retries after a managed platform refuses or does not answer, and the words for users.

/** Reasons why a mirror waits or is blocked: refusals of platforms, and findings of our own. */
export const mirrorCodes = [
  /** The user has to connect the channel again. */
  'grant_revoked',
  'scope_missing',
  'connection_needed',
  'settings_missing',
  /** The platform has not (yet) enabled live streaming for the channel. */
  'live_not_enabled',
  /** The channel has its maximum of live broadcasts. */
  'channel_busy',
  /** Our project has used up its calls of the day. */
  'quota_exhausted',
  /** The user's part of the calls of the day is used up. */
  'quota_share_used',
  /** The part of all users without a purchase is used up. */
  'quota_unfunded_used',
  'rate_limited',
  /** No answer, or an internal error of the platform. The call may have taken effect. */
  'unavailable',
  /** The platform refuses the call and would refuse it again. */
  'rejected',
  'ended_there',
] as const;
export type MirrorCode = (typeof mirrorCodes)[number];

/** Reasons that come from a platform. */
export type RefusalCode = Exclude<
  MirrorCode,
  | 'scope_missing'
  | 'connection_needed'
  | 'settings_missing'
  | 'ended_there'
  | 'quota_share_used'
  | 'quota_unfunded_used'
>;

interface Retry {
  readonly firstSeconds: number;
  readonly mostSeconds: number;
  /** Factor from each delay to the next. */
  readonly growth: number;
}

/** Null: a person has to act, and that action begins another generation. */
const retries: Readonly<Record<MirrorCode, Retry | null>> = {
  grant_revoked: null,
  scope_missing: null,
  connection_needed: null,
  settings_missing: null,
  live_not_enabled: { firstSeconds: 3600, mostSeconds: 86_400, growth: 2 },
  channel_busy: { firstSeconds: 300, mostSeconds: 3600, growth: 2 },
  // The quota's own reset comes first; this delay applies if the platform exhausts a quota that we do not count.
  quota_exhausted: { firstSeconds: 3600, mostSeconds: 3600, growth: 1 },
  quota_share_used: { firstSeconds: 3600, mostSeconds: 3600, growth: 1 },
  quota_unfunded_used: { firstSeconds: 3600, mostSeconds: 3600, growth: 1 },
  rate_limited: { firstSeconds: 900, mostSeconds: 21_600, growth: 2 },
  unavailable: { firstSeconds: 30, mostSeconds: 900, growth: 2 },
  rejected: null,
  // The first time a new broadcast is made at once; later ones wait, in case a person keeps ending them.
  ended_there: { firstSeconds: 2, mostSeconds: 3600, growth: 6 },
};

/**
 * When to retry; null if a person has to act first. The delay is shortened at random by up to a third, so that calls
 * that failed together are retried apart.
 * @param attempts number of failed attempts, 1 after the first
 * @param askedFor time at which the platform or its quota allows a retry; null if it names none
 * @param random uniform in [0, 1)
 */
export function retryAtOf(
  code: MirrorCode,
  attempts: number,
  { now, askedFor, random }: { readonly now: Date; readonly askedFor: Date | null; readonly random: () => number },
): Date | null {
  const retry = retries[code];
  if (retry === null) return null;
  if (askedFor !== null && askedFor > now) return askedFor;
  const seconds = Math.min(retry.mostSeconds, retry.firstSeconds * retry.growth ** (attempts - 1));
  return new Date(now.getTime() + seconds * 1000 * (1 - random() / 3));
}

/**
 * Sentence for users.
 * @param platform name as the platform writes it
 * @param reason the platform's own word
 */
export function wordsOfMirror(code: MirrorCode, platform: string, reason: string): string {
  switch (code) {
    case 'grant_revoked':
      return (
        `${platform} no longer accepts our access to the channel (${reason}). ` +
        'Connect the channel again with reauthorise_connection.'
      );
    case 'scope_missing':
      return (
        'The channel was connected without all permissions. ' +
        'Connect it again with reauthorise_connection, and grant every permission.'
      );
    case 'connection_needed':
      return `${platform} is no longer set up here. Stream to it by its RTMP address and stream key instead.`;
    case 'settings_missing':
      return 'The managed settings that the stream names are gone. Set managedSettingsID to others.';
    case 'live_not_enabled':
      return (
        `${platform} does not allow live streams on the channel (${reason}). ` +
        'The owner of the channel can enable live streaming there, which takes up to a day.'
      );
    case 'channel_busy':
      return `The channel has as many live broadcasts as ${platform} allows (${reason}). End one of them.`;
    case 'quota_exhausted':
      return (
        `Our quota of calls to ${platform} is used up for today. ` +
        'Live broadcasts stay live, and everything else continues automatically.'
      );
    case 'quota_share_used':
      return (
        `Your streams have used your part of today's calls to ${platform}, by their starts and by changes of their ` +
        'titles and settings. Live broadcasts stay live, and everything else continues automatically tomorrow. ' +
        'Without a purchase the part is smaller: to continue today, buy credits and set retryMirror.'
      );
    case 'quota_unfunded_used':
      return (
        `Today's calls to ${platform} for users without a purchase are used up. Live broadcasts stay live, and ` +
        'everything else continues automatically tomorrow. To continue today, buy credits and set retryMirror.'
      );
    case 'rate_limited':
      return `${platform} limits our calls (${reason}). We try again automatically.`;
    case 'unavailable':
      return `${platform} did not carry out the call (${reason}). We try again automatically.`;
    case 'rejected':
      return (
        `${platform} refuses the call (${reason}). ` +
        'Change the managed settings or the schedule, or correct the cause there and set retryMirror.'
      );
    case 'ended_there':
      return `The broadcast was ended on ${platform} while the stream is live. We create another one.`;
  }
}
