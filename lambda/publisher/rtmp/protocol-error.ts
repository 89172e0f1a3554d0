// The error for bytes that are not RTMP.

/** The peer sent something that the protocol, or our bounds on it, do not allow. The message never quotes what it sent. */
export class RtmpProtocolError extends Error {
  override readonly name = 'RtmpProtocolError';
}
