// Why a message that claims to come from a provider is not taken.

/** The sender's fault: the message does not come from the provider, or was altered or replayed. */
export class CallbackRefused extends Error {
  override readonly name = 'CallbackRefused';
}
