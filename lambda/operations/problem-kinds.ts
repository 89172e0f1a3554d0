// Every kind of problem that a client can receive: its stable code, its HTTP status and its explanation.

/** A kind of problem. GET {base_url}/problems/{code} returns its explanation. */
interface ProblemKind {
  readonly status: 401 | 403 | 404 | 405 | 422 | 429 | 500 | 502;
  readonly title: string;
  readonly explanation: string;
}

export const problemCodes = {
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    explanation:
      'The request carries no valid credential. Send one credential: an API key in X-API-Key, or an access ' +
      'token as Authorization: Bearer.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Scope missing',
    explanation: 'The access token or API key lacks a scope that this operation needs.',
  },
  feature_disabled: {
    status: 403,
    title: 'Feature not enabled',
    explanation: 'This feature is not enabled for the account. The detail describes an alternative.',
  },
  account_on_hold: {
    status: 403,
    title: 'Account on hold',
    explanation:
      'The operator of the platform has put the account on hold. Its resources can be read and deleted, but not ' +
      'created or changed.',
  },
  request_refused: {
    status: 403,
    title: 'Refused',
    explanation: 'The firewall refused the request: it looks like an attack, or its IP address is known for attacks.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    explanation: 'The resource does not exist, or the caller may not see it.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path exists, but not with this method. The Allow header lists its methods.',
  },
  validation_failed: {
    status: 422,
    title: 'Invalid input',
    explanation: 'A field or parameter has a wrong type or value. errors lists each of them.',
  },
  malformed_json: {
    status: 422,
    title: 'Malformed JSON',
    explanation: 'The body is not JSON, or its Content-Type is not application/json.',
  },
  unknown_field: {
    status: 422,
    title: 'Unknown field',
    explanation: 'The body has a field that this operation does not have. errors lists each of them.',
  },
  invalid_cursor: {
    status: 422,
    title: 'Invalid cursor',
    explanation: 'This list did not issue the cursor. Leave the cursor out to start with the first page.',
  },
  query_malformed: {
    status: 422,
    title: 'Malformed query',
    explanation:
      'The GraphQL document is invalid, or asks for fields that the schema does not have. The message names the ' +
      'place.',
  },
  query_too_large: {
    status: 422,
    title: 'Query too large',
    explanation: 'The GraphQL query is too deep or may load too many resources. Split it into smaller queries.',
  },
  payload_too_large: {
    status: 422,
    title: 'Too large',
    explanation: 'The body is larger than this operation accepts.',
  },
  stream_not_startable: {
    status: 422,
    title: 'Stream cannot start now',
    explanation: 'The stream is stopping. Start it again once it has stopped.',
  },
  stream_not_ready: {
    status: 422,
    title: 'Stream not ready',
    explanation:
      'The stream lacks something that it needs to start. The readiness result in this answer lists each issue ' +
      'with a remedy.',
  },
  stream_not_stoppable: {
    status: 422,
    title: 'Stream is not running',
    explanation: 'Only a live stream can be stopped.',
  },
  stream_not_running: {
    status: 422,
    title: 'Stream is not running',
    explanation: 'This needs a running stream, in state activating, active or failing. Use start_stream to start it.',
  },
  stream_not_schedulable: {
    status: 422,
    title: 'Stream cannot be scheduled now',
    explanation:
      'Only a stream in state draft, stopped or failed can be scheduled. Cancel an existing schedule before you ' +
      'set another.',
  },
  stream_not_scheduled: {
    status: 422,
    title: 'Stream is not scheduled',
    explanation: 'The stream has no armed schedule to cancel.',
  },
  stream_live: {
    status: 422,
    title: 'Stream is live',
    explanation:
      'This setting cannot change while the stream is live. Stop the stream first. Playlists can change: publish ' +
      'the new draft.',
  },
  skip_too_late: {
    status: 422,
    title: 'Too late to skip',
    explanation:
      'A row can be skipped until 10 seconds before its end, by its beginning and its upload as the timeline has them.',
  },
  live_ingest_off: {
    status: 422,
    title: 'No live inputs',
    explanation: 'This platform does not receive live contributions. Its operator can switch them on.',
  },
  live_needs_manifest: {
    status: 422,
    title: 'Stream cannot be taken over',
    explanation: 'Only streams with streamBackend manifest can be taken over. It can change while a stream is stopped.',
  },
  nothing_received: {
    status: 422,
    title: 'Nothing received',
    explanation: 'The live input receives no picture. Send to its address with its key first.',
  },
  not_stable_yet: {
    status: 422,
    title: 'Not stable yet',
    explanation:
      'The session of the live input has to last for stableSeconds, and longer after several losses. Retry-After ' +
      'gives the seconds that are left.',
  },
  slate_not_prepared: {
    status: 422,
    title: 'Slate is not prepared',
    explanation: 'The slate of the live input is not prepared for the stream yet, or cannot be. slateReason has why.',
  },
  taken_over_already: {
    status: 422,
    title: 'Stream is taken over',
    explanation: 'The stream shows a live input, or is about to. Use hand_back_stream first.',
  },
  not_taken_over: {
    status: 422,
    title: 'Stream is not taken over',
    explanation: 'The stream shows its timeline, so there is nothing to hand back.',
  },
  queued_item_begun: {
    status: 422,
    title: 'Queued item has begun',
    explanation: 'The queued item plays, or does in less than 10 seconds. Use skip_item.',
  },
  item_request_refused: {
    status: 422,
    title: 'Request refused',
    explanation:
      'The policy of the channel refuses the request of a viewer. refusedBy names its part. allowedAt is the time at ' +
      'which it would be granted, or null.',
  },
  schedule_in_past: { status: 422, title: 'Schedule in the past', explanation: 'The given time is in the past.' },
  output_exists: {
    status: 422,
    title: 'Output exists',
    explanation:
      'The stream already has an output to this destination, or to another destination with the same address and ' +
      'key.',
  },
  version_conflict: {
    status: 422,
    title: 'Version conflict',
    explanation:
      'The resource has changed since the version that the request names. Read it again, then decide whether to ' +
      'repeat the request.',
  },
  playlist_not_empty: {
    status: 422,
    title: 'Playlist not empty',
    explanation: 'A playlist can only be copied into an empty playlist.',
  },
  nothing_published: {
    status: 422,
    title: 'Nothing was published',
    explanation: 'The draft has no published version to restore.',
  },
  stream_deleted: {
    status: 422,
    title: 'Stream is deleted',
    explanation: 'The stream of the playlist is deleted. Name the playlist in playlistIDs of another stream first.',
  },
  programme_invalid: {
    status: 422,
    title: 'Programme invalid',
    explanation: 'The programme cannot be planned. Errors point to the rules to correct.',
  },
  nothing_to_plan: {
    status: 422,
    title: 'Nothing to play',
    explanation: 'No collection that the programme draws from has an upload that can be played. Add uploads first.',
  },
  programme_exists: {
    status: 422,
    title: 'Programme exists',
    explanation: 'A stream has one programme of each kind. Change the existing one with update_programme.',
  },
  playlist_empty: {
    status: 422,
    title: 'Playlist empty',
    explanation: 'A playlist without items cannot be published.',
  },
  resource_in_use: {
    status: 422,
    title: 'Resource in use',
    explanation: 'Another resource uses this resource. Remove it there first.',
  },
  upload_incomplete: {
    status: 422,
    title: 'Upload incomplete',
    explanation: 'The bytes of the upload have not arrived. PUT them to the upload URL first.',
  },
  parts_missing: {
    status: 422,
    title: 'Parts missing',
    explanation: 'Some parts of the upload have not arrived. partNumbers lists the missing parts, at most 100 of them.',
  },
  part_mismatch: {
    status: 422,
    title: 'Part differs',
    explanation: 'Send every part of an upload with its SHA-256, or none.',
  },
  upload_mismatch: {
    status: 422,
    title: 'Upload differs',
    explanation: 'The number of bytes that arrived differs from the announced fileSize.',
  },
  import_url_forbidden: {
    status: 422,
    title: 'Address not allowed',
    explanation: 'Imports from this address are not allowed. Use a public http:// or https:// link.',
  },
  destination_forbidden: {
    status: 422,
    title: 'Destination not allowed',
    explanation: 'Streaming to this address is not allowed. Use a public address.',
  },
  not_managed: {
    status: 422,
    title: 'Not a managed stream',
    explanation: 'retryMirror needs a stream whose streamDestination is managed.',
  },
  connection_needed: {
    status: 422,
    title: 'No connection',
    explanation: 'This operation needs a connected channel on a managed platform. Connect one with create_connection.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    explanation: 'This key was used for a different request within the last 24 hours. Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 422,
    title: 'Still running',
    explanation:
      'A request with this Idempotency-Key is still running. Repeat the request in a moment to get its answer.',
  },
  unknown_currency: {
    status: 422,
    title: 'Unknown currency',
    explanation: 'The currency does not exist. list_crypto_currencies returns the supported currencies.',
  },
  webhook_url_forbidden: {
    status: 422,
    title: 'Address not allowed',
    explanation: 'Webhooks to this address are not allowed. Use a public https:// address.',
  },
  webhook_disabled: {
    status: 422,
    title: 'Webhook is disabled',
    explanation: 'A disabled webhook receives no events. Enable it first.',
  },
  preview_unavailable: {
    status: 422,
    title: 'No picture',
    explanation: 'No picture is available. The detail gives the reason.',
  },
  limit_reached: {
    status: 422,
    title: 'Limit reached',
    explanation:
      'The request would exceed a limit of the account. limit, used and allowed name the limit and its numbers; ' +
      'detail gives the remedy. get_me lists all limits. Credits raise most of them.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    explanation:
      'The rate limit is reached, or too many changes of the account are under way, or another change of the same ' +
      'resource takes long. Retry-After gives the seconds to wait before the next request.',
  },
  upstream_unavailable: {
    status: 502,
    title: 'Upstream service unavailable',
    explanation:
      'A service that the platform depends on did not answer. Try again. With an Idempotency-Key, a repeated ' +
      'request never takes effect twice.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    explanation: 'The platform made a mistake, which is logged. The request changed nothing.',
  },
} as const satisfies Record<string, ProblemKind>;
