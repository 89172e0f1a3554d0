// The end of a live session before its contributor ended it.

export type LiveFailureReason =
  | 'no_keyframe'
  | 'format_changed'
  | 'unsupported_codec'
  | 'too_large'
  | 'too_many_pixels'
  | 'undecodable'
  | 'overloaded'
  | 'tool_failed';

/** A session failed. The message is for our own log. */
export class LiveFailure extends Error {
  override readonly name = 'LiveFailure';
  readonly reason: LiveFailureReason;
  /** `media`: the contribution is at fault. `ours`: this machine is, and another session may succeed. */
  readonly fault: 'media' | 'ours';

  constructor(reason: LiveFailureReason, message: string) {
    super(message);
    this.reason = reason;
    this.fault = reason === 'overloaded' || reason === 'tool_failed' ? 'ours' : 'media';
  }
}
