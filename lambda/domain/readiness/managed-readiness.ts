// Readiness issues of the channel of a managed stream, from stored facts alone.
import type { IngestExcess } from '../destinations/ingest-limits.ts';
import type { ConnectionState } from '../channels/managed-platforms.ts';
import { issueOf } from './readiness-issues.ts';
import type { ReadinessIssue } from './readiness-issues.ts';

/** Facts of the channel that a stream's settings name. */
export interface ChannelFacts {
  /** The platform, as it writes itself. */
  readonly platform: string;
  readonly state: ConnectionState;
  /** When the grant ends by itself; null if not soon. */
  readonly grantEndsAt: Date | null;
  readonly hasBackupIngest: boolean;
  /** Settings of the stream that the platform does not take; null if it takes all. */
  readonly excess: IngestExcess | null;
  /** Whether a broadcast is prepared, so that going live needs no call. */
  readonly isPrepared: boolean;
  /** Whether the channel has its maximum of live broadcasts. */
  readonly isBusy: boolean;
  readonly quotaExhaustedUntil: Date | null;
  readonly isHealthBad: boolean;
  /** Whether a title may exceed the platform's limit. */
  readonly isTitleCut: boolean;
}

export interface ManagedFacts {
  /** Whether the stage offers any platform; null if the caller does not know. */
  readonly offersPlatforms: boolean | null;
  /** Whether the user has connected any channel. */
  readonly hasChannel: boolean;
  /** Null if the stream names no settings, or they are missing. */
  readonly channel: ChannelFacts | null;
}

export function judgeManaged(facts: ManagedFacts, wantsBackup: boolean): ReadinessIssue[] {
  const { channel } = facts;
  if (channel === null) return [judgeWithoutSettings(facts)];
  if (channel.state === 'pending') return [issueOf('not_connected')];
  if (channel.state !== 'ok') return [issueOf(channel.state)];
  return [
    ...(wantsBackup && !channel.hasBackupIngest ? [withoutBackup(channel.platform)] : []),
    ...(channel.isBusy ? [issueOf('channel_busy')] : []),
    ...judgeQuota(channel),
    ...(channel.grantEndsAt ? [withGrantUntil(channel.grantEndsAt)] : []),
    ...(channel.isHealthBad ? [issueOf('health_bad')] : []),
    ...(channel.isTitleCut ? [issueOf('title_cut')] : []),
  ];
}

function judgeWithoutSettings({ offersPlatforms, hasChannel }: ManagedFacts): ReadinessIssue {
  if (hasChannel) return issueOf('settings_missing');
  const issue = issueOf('not_connected');
  if (offersPlatforms !== false) return issue;
  return {
    ...issue,
    error: 'No managed platform is set up here, so no channel can be connected.',
    suggestion:
      'Set streamDestination to null and destinationID to a destination with the address and key of the platform.',
  };
}

/** A prepared broadcast goes live by itself, so an exhausted quota does not stop it. */
function judgeQuota({ platform, quotaExhaustedUntil, isPrepared }: ChannelFacts): ReadinessIssue[] {
  if (quotaExhaustedUntil === null || isPrepared) return [];
  const until = quotaExhaustedUntil.toISOString();
  const suggestion = `Start the stream after ${until}, or schedule it ahead. A prepared broadcast needs no call.`;
  return [
    {
      ...issueOf('quota_exhausted'),
      error: `The quota of calls to ${platform} is used up until ${until}.`,
      suggestion,
    },
  ];
}

function withGrantUntil(endsAt: Date): ReadinessIssue {
  return { ...issueOf('grant_expiring'), error: `The consent of the channel’s owner ends at ${endsAt.toISOString()}.` };
}

function withoutBackup(platform: string): ReadinessIssue {
  return {
    ...issueOf('backup_url_missing'),
    path: 'MANAGED',
    error: `${platform} takes no second, redundant feed.`,
    suggestion: 'Set runBackupStream to false.',
  };
}
