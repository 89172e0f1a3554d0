// What follows when a managed platform refuses or does not answer: when it is tried again, and what users are told.

/** Why a mirror waits or is blocked. The refusals of platforms, and what we find ourselves. */
export const mirrorCodes = [
  /** The person has to connect the channel again. */
  'grant_revoked',
  'scope_missing',
  'connection_needed',
  'settings_missing',
  /** The platform has not let the channel stream (yet). */
  'live_not_enabled',
  /** As many broadcasts as may are live on the channel. */
  'channel_busy',
  /** Our project has used its calls of the day up. */
  'quota_exhausted',
  'rate_limited',
  /** No answer, or an error of the platform's own. It may have done what we asked for. */
  'unavailable',
  /** What we asked for is refused, and would be again. */
  'rejected',
  'ended_there',
] as const;
export type MirrorCode = (typeof mirrorCodes)[number];

/** Why a platform did not do what we asked for, by what has to happen next: all but what we find ourselves. */
export type RefusalCode = Exclude<
  MirrorCode,
  'scope_missing' | 'connection_needed' | 'settings_missing' | 'ended_there'
>;

interface Retry {
  readonly firstSeconds: number;
  readonly mostSeconds: number;
  /** Each delay is so many times the one before. */
  readonly growth: number;
}

/** Null: it waits for somebody, and what they do begins another generation. */
const retries: Readonly<Record<MirrorCode, Retry | null>> = {
  grant_revoked: null,
  scope_missing: null,
  connection_needed: null,
  settings_missing: null,
  live_not_enabled: { firstSeconds: 3600, mostSeconds: 86_400, growth: 2 },
  channel_busy: { firstSeconds: 300, mostSeconds: 3600, growth: 2 },
  // Until its own time, when the quota begins anew; this only where the platform counts none that we know of.
  quota_exhausted: { firstSeconds: 3600, mostSeconds: 3600, growth: 1 },
  rate_limited: { firstSeconds: 900, mostSeconds: 21_600, growth: 2 },
  unavailable: { firstSeconds: 30, mostSeconds: 900, growth: 2 },
  rejected: null,
  // Made anew at once the first time; not again and again where somebody keeps ending them.
  ended_there: { firstSeconds: 2, mostSeconds: 3600, growth: 6 },
};

/**
 * When to try again. A random part of up to a third is taken off, so that what failed together does not come back
 * together.
 * @param attempts that have failed, 1 after the first
 * @param askedFor when the platform or its quota lets us try again; null where nothing says so
 * @param random uniform in [0, 1)
 * @returns null where somebody has to do something first
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
 * What a user is told.
 * @param platform as it writes itself
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
