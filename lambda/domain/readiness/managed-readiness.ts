// Whether the channel that a managed stream goes to lets it start, from what is stored of the channel alone.
import type { IngestExcess } from '../destinations/ingest-limits.ts';
import type { ConnectionState } from '../channels/managed-platforms.ts';
import { issueOf } from './readiness-issues.ts';
import type { ReadinessIssue } from './readiness-issues.ts';

/** What is known of the channel that a stream's settings are for. */
export interface ChannelFacts {
  /** The platform, as it writes itself. */
  readonly platform: string;
  readonly state: ConnectionState;
  /** When the grant ends by itself; null: not soon. */
  readonly grantEndsAt: Date | null;
  readonly hasBackupIngest: boolean;
  /** What of the stream the platform does not take. */
  readonly excess: IngestExcess | null;
  /** Whether a broadcast is prepared, so that going live needs no call. */
  readonly isPrepared: boolean;
  /** Whether as many broadcasts as may be are live on the channel. */
  readonly isBusy: boolean;
  readonly quotaExhaustedUntil: Date | null;
  readonly isHealthBad: boolean;
  /** Whether a title may be longer than the platform takes. */
  readonly isTitleCut: boolean;
}

export interface ManagedFacts {
  /** Whether the stage has set any platform up; null where whoever judges does not know. */
  readonly offersPlatforms: boolean | null;
  /** Whether the user has connected any channel. */
  readonly hasChannel: boolean;
  /** Null where the stream names no settings, or they are gone. */
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

/** What is prepared goes live by itself, so calls that are used up keep it from nothing. */
function judgeQuota({ platform, quotaExhaustedUntil, isPrepared }: ChannelFacts): ReadinessIssue[] {
  if (quotaExhaustedUntil === null || isPrepared) return [];
  const until = quotaExhaustedUntil.toISOString();
  const suggestion = `Start it after ${until}, or schedule it ahead: what is prepared needs no call to go live.`;
  return [{ ...issueOf('quota_exhausted'), error: `Our calls to ${platform} are used up until ${until}.`, suggestion }];
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
