// The place that each secret is sealed for, so that it cannot be opened for another one.

/**
 * What data keys are for. Each purpose has keys of its own, so that whoever reads the bytes of strangers can be let
 * open the credentials of sources, and nothing else.
 */
export type KeyPurpose = 'data key' | 'sources';

/**
 * What a data key is wrapped in, as KMS' encryption context. KMS unwraps with the same context only, writes it into
 * CloudTrail, and the right to unwrap names it.
 */
export function keyContext(purpose: KeyPurpose): { readonly purpose: KeyPurpose } {
  return { purpose };
}

export function destinationKeyPlace(destinationID: string): string {
  return `destination/${destinationID}`;
}

/** The passphrase of an SRT destination. */
export function srtPassphrasePlace(destinationID: string): string {
  return `srt/${destinationID}`;
}

/** The deprecated key that a stream may carry itself. */
export function streamKeyPlace(streamID: string): string {
  return `stream/${streamID}`;
}

export function webhookSecretPlace(webhookID: string): string {
  return `webhook/${webhookID}`;
}

/** Where an alert channel leads: addresses of incoming webhooks, and tokens of bots. */
export function alertTargetPlace(channelID: string): string {
  return `alert-channel/${channelID}`;
}

/** Sealed with the key of the purpose `sources`, as all else is with that of `data key`. */
export function sourceCredentialsPlace(sourceID: string): string {
  return `source/${sourceID}`;
}

/** The grant of a channel's owner. */
export function grantPlace(connectionID: string): string {
  return `connection/${connectionID}`;
}

/** The verifier of PKCE, until the person who consents is back. */
export function verifierPlace(connectionID: string): string {
  return `verifier/${connectionID}`;
}

/** The key of a stream's ingest at a managed platform. */
export function ingestKeyPlace(streamID: string): string {
  return `ingest/${streamID}`;
}

/** For an answer with a secret that is stored so that a repeated request gets it again. */
export function answerPlace(userID: string, operationID: string, idempotencyKey: string): string {
  return `answer/${userID}/${operationID}/${idempotencyKey}`;
}
