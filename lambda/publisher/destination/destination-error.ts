// Faults of the user's destination, in words for the user.

const detailByCode = {
  address_forbidden: "The destination's address is in a private or reserved network, which is not allowed.",
  name_not_found: "The destination's host name was not found.",
  name_not_resolved: "The destination's host name cannot be looked up at the moment.",
  unreachable: "No server accepts connections at the destination's address and port.",
  unanswered: "Nothing answers at the destination's address and port.",
  timed_out: 'The destination did not answer in time.',
  too_slow: 'The destination takes data more slowly than the stream has it; parts are left out.',
  stalled: 'The destination stopped taking data.',
  certificate_expired: "The destination's TLS certificate has expired.",
  tls_failed:
    'No secure connection to the destination: its TLS certificate could not be verified, ' +
    'or it does not speak TLS on this port.',
  handshake_failed: 'The server at the destination does not speak RTMP.',
  login_required:
    'The destination wants encoders to log in with a user name and a password, which is not supported. ' +
    'It may have an address that takes a stream key alone.',
  redirected: 'The destination sends encoders on to an address that cannot be used, or on and on.',
  codec_refused:
    'The destination does not take this codec. ' +
    'Set videoCodec to h264, or send to one that takes Enhanced RTMP with it.',
  app_refused: 'The destination refused the connection to this application. The path of the RTMP URL may be wrong.',
  key_refused: 'The destination refused the stream key. It may be wrong, expired or not enabled for live streaming.',
  passphrase_refused:
    'The destination refused the SRT passphrase. It may be wrong, or missing, or the destination has none.',
  stream_id_refused: 'The destination refused the SRT stream id. It may be wrong, expired or not enabled.',
  caller_refused: 'The SRT listener at the destination refused the connection.',
  upload_refused:
    'The destination refused an uploaded segment or playlist. The address may be wrong, or not one that takes HLS.',
  upload_unaccepted:
    'The destination takes segments, but does not accept them: it answers with an error of the server, or closes the ' +
    'connection before it answers.',
  already_publishing: 'The destination says that another encoder is already publishing with this stream key.',
  server_full: 'The destination has no capacity for another stream at the moment.',
  protocol_violated:
    'The destination broke the protocol, or sent far more to the publisher than a server has to. ' +
    'Check that the address is that of a streaming platform or server.',
  connection_lost: 'The connection to the destination was lost.',
  ended_at_once:
    'The destination let the stream begin and ended it at once. ' +
    'The stream key may be wrong, expired or not enabled for live streaming.',
  ended_by_destination: 'The destination ended the stream.',
} as const;

export type DestinationErrorCode = keyof typeof detailByCode;

/**
 * A fault of the destination or of the network to it; not of the caller, the media or us. `detail` and `message` are
 * one fixed text per code, and `cause` is a socket or protocol error. So none of them can hold a stream key.
 */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  readonly code: DestinationErrorCode;
  readonly detail: string;

  constructor(code: DestinationErrorCode, cause?: unknown) {
    super(detailByCode[code], cause === undefined ? {} : { cause });
    this.code = code;
    this.detail = detailByCode[code];
  }
}

/** A redirect: the server wants its publisher at another address. The RTMP client handles this error itself. */
export class Redirected extends DestinationError {
  /** Private, so that no log prints it: servers may repeat the stream key in the address. */
  readonly #reference: string;

  /** @param reference an RTMP URL, or part of one */
  constructor(reference: string) {
    super('redirected');
    this.#reference = reference;
  }

  get reference(): string {
    return this.#reference;
  }
}
