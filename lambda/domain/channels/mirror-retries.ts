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
  'scope_missing' | 'connection_needed' | 'settings_missing' | 'ended_there'
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
        `${platform} does not accept our access to the channel any more (${reason}). ` +
        'Connect the channel again with reauthorise_connection.'
      );
    case 'scope_missing':
      return (
        'The channel was connected without all rights. ' +
        'Connect it again with reauthorise_connection, and leave every box ticked.'
      );
    case 'connection_needed':
      return `${platform} is not set up here any more. Stream to it by its RTMP address and stream key instead.`;
    case 'settings_missing':
      return 'The managed settings that the stream names are gone. Set managedSettingsID to others.';
    case 'live_not_enabled':
      return (
        `${platform} does not let the channel stream (${reason}). ` +
        'Its owner can enable live streaming there; it takes up to a day.'
      );
    case 'channel_busy':
      return `As many broadcasts are live on the channel as ${platform} lets it have (${reason}). End one of them.`;
    case 'quota_exhausted':
      return (
        `What we may ask ${platform} for today is used up. ` +
        'What is live stays live, and the rest goes on by itself.'
      );
    case 'rate_limited':
      return `${platform} asks us to wait (${reason}).`;
    case 'unavailable':
      return `${platform} did not do it (${reason}). We try again by ourselves.`;
    case 'rejected':
      return (
        `${platform} refuses it (${reason}). ` +
        'Change the managed settings or the schedule, or set retryMirror once it is put right there.'
      );
    case 'ended_there':
      return `${platform}, or somebody there, has ended the broadcast while the stream is live. We make another one.`;
  }
}
