// The error for a message that claims to come from a payment provider and is refused.

/** The message does not come from the provider, or was changed or sent again by somebody else. */
export class CallbackRefused extends Error {
  override readonly name = 'CallbackRefused';
}
