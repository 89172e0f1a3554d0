// Error for a refused message that claims to come from a payment provider.

/** The message was not sent by the provider, or it was changed or replayed. */
export class CallbackRefused extends Error {
  override readonly name = 'CallbackRefused';
}
