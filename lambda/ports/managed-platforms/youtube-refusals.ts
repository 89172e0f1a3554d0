// Meaning of YouTube's reasons (https://developers.google.com/youtube/v3/live/docs/errors).
import * as z from 'zod';
import { PlatformRefusal } from './managed-platform.ts';
import type { RefusalCode } from '../../domain/channels/mirror-retries.ts';
import { codeOfStatus } from './platform-request.ts';
import type { ReadRefusal } from './platform-request.ts';

const codesOfReasons: Readonly<Record<string, RefusalCode>> = {
  authError: 'grant_revoked',
  insufficientPermissions: 'grant_revoked',
  insufficientLivePermissions: 'grant_revoked',
  quotaExceeded: 'quota_exhausted',
  dailyLimitExceeded: 'quota_exhausted',
  liveStreamingNotEnabled: 'live_not_enabled',
  livePermissionBlocked: 'live_not_enabled',
  youtubeSignupRequired: 'live_not_enabled',
  channelClosed: 'live_not_enabled',
  channelSuspended: 'live_not_enabled',
  concurrentBroadcastsExceedLimit: 'channel_busy',
  sharedIngestionBroadcastsExceedLimit: 'channel_busy',
  userBroadcastsExceedLimit: 'channel_busy',
  userRequestsExceedRateLimit: 'rate_limited',
  userRateLimitExceeded: 'rate_limited',
  rateLimitExceeded: 'rate_limited',
  backendError: 'unavailable',
  internalError: 'unavailable',
  errorExecutingTransition: 'unavailable',
};

const errorBody = z.object({ error: z.object({ errors: z.array(z.object({ reason: z.string().max(100) })).min(1) }) });

/** An unknown reason counts by its status alone: YouTube adds reasons. */
export const readYoutubeRefusal: ReadRefusal = (status, body, retryAt) => {
  const { data } = errorBody.safeParse(body);
  const reason = data?.error.errors[0]!.reason ?? `status ${status}`;
  return new PlatformRefusal(codesOfReasons[reason] ?? codeOfStatus(status), reason, { retryAt });
};
