// Where secrets are kept: what each is sealed for, so that it opens nowhere else.

export function destinationKeyPlace(destinationID: string): string {
  return `destination/${destinationID}`;
}

/** The deprecated key that a stream may carry itself. */
export function streamKeyPlace(streamID: string): string {
  return `stream/${streamID}`;
}

export function webhookSecretPlace(webhookID: string): string {
  return `webhook/${webhookID}`;
}

/** An answer that is kept to be repeated, where it holds a secret. */
export function answerPlace(userID: string, operationID: string, idempotencyKey: string): string {
  return `answer/${userID}/${operationID}/${idempotencyKey}`;
}
