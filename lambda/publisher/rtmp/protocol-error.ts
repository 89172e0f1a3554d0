// The error for bytes that are not RTMP.

/** The peer sent something that the protocol, or our bounds, do not allow. The error's message never quotes it. */
export class RtmpProtocolError extends Error {
  override readonly name = 'RtmpProtocolError';
}
