// The refusals of the stand-in, with the reasons that Google documents.

/** A request that YouTube would refuse. */
export class Refused extends Error {
  readonly reason: string;

  constructor(reason: string, message?: string) {
    super(message ?? reasons[reason]?.message ?? reason);
    this.reason = reason;
  }
}

interface Reason {
  readonly status: number;
  readonly message?: string;
}

/**
 * The document of the API has no reasons. These reasons, their statuses and their causes are from “YouTube Live
 * Streaming API - Errors” (https://developers.google.com/youtube/v3/live/docs/errors) and “YouTube Data API - Errors”
 * (https://developers.google.com/youtube/v3/docs/errors). The sentences are ours. A reason that is missing here is a
 * 400.
 */
export const reasons: Readonly<Record<string, Reason>> = {
  authError: { status: 401, message: 'Invalid Credentials' },
  insufficientPermissions: { status: 403, message: 'Request had insufficient authentication scopes.' },
  insufficientLivePermissions: { status: 403, message: 'The request is not authorized for this broadcast.' },
  liveStreamingNotEnabled: { status: 403, message: 'The user is not enabled for live streaming.' },
  livePermissionBlocked: { status: 403, message: 'The user is blocked from live streaming.' },
  quotaExceeded: { status: 403, message: 'The request cannot be completed because you have exceeded your quota.' },
  userRequestsExceedRateLimit: { status: 403, message: 'The user has sent too many requests.' },
  userBroadcastsExceedLimit: { status: 403, message: 'The user has created too many live or scheduled broadcasts.' },
  concurrentBroadcastsExceedLimit: { status: 403, message: 'The channel has too many concurrent live broadcasts.' },
  sharedIngestionBroadcastsExceedLimit: { status: 403, message: 'Too many live broadcasts share this ingestion.' },
  errorStreamInactive: { status: 403, message: 'Stream is inactive' },
  invalidTransition: { status: 403, message: 'Invalid transition' },
  redundantTransition: { status: 403, message: 'Redundant transition' },
  liveBroadcastBindingNotAllowed: { status: 403, message: 'Binding is not allowed in this status.' },
  liveBroadcastDeletionNotAllowed: { status: 403, message: 'Deletion is not allowed in this status.' },
  liveBroadcastModificationNotAllowed: { status: 403, message: 'The status does not allow this modification.' },
  liveBroadcastNotFound: { status: 404, message: 'Broadcast not found' },
  liveStreamNotFound: { status: 404, message: 'Stream not found' },
  videoNotFound: { status: 404, message: 'The video cannot be found.' },
  notFound: { status: 404, message: 'Not Found' },
  errorExecutingTransition: { status: 500, message: 'An error occurred while changing the status.' },
  backendError: { status: 503, message: 'Backend Error' },
};

/** @param domain such as `youtube.liveBroadcast` */
export function refusal({ reason, message }: Refused, domain: string): Response {
  const code = reasons[reason]?.status ?? 400;
  const body = { error: { code, message, errors: [{ message, domain, reason }] } };
  return Response.json(body, { status: code, headers: { 'cache-control': 'no-store' } });
}
