// Places of sealed secrets: a secret is sealed for its place, so it cannot be opened for another one.

/**
 * Purposes of data keys. Each has its own keys, so that processes that read strangers' bytes open only source
 * credentials, or only passphrases of live inputs.
 */
export const keyPurposes = ['data key', 'sources', 'live'] as const;
export type KeyPurpose = (typeof keyPurposes)[number];

/**
 * KMS encryption context of a data key. KMS unwraps a key only with the same context, logs it in CloudTrail, and the
 * right to unwrap names it.
 */
export function keyContext(purpose: KeyPurpose): { readonly purpose: KeyPurpose } {
  return { purpose };
}

export function destinationKeyPlace(destinationID: string): string {
  return `destination/${destinationID}`;
}

/** Passphrase of an SRT destination. */
export function srtPassphrasePlace(destinationID: string): string {
  return `srt/${destinationID}`;
}

/** Deprecated stream key of a stream itself. */
export function streamKeyPlace(streamID: string): string {
  return `stream/${streamID}`;
}

export function webhookSecretPlace(webhookID: string): string {
  return `webhook/${webhookID}`;
}

/** Target of an alert channel: an incoming webhook's address, or a bot's token. */
export function alertTargetPlace(channelID: string): string {
  return `alert-channel/${channelID}`;
}

/** Sealed with the key of purpose `sources`. */
export function sourceCredentialsPlace(sourceID: string): string {
  return `source/${sourceID}`;
}

/** Passphrase for SRT, sealed with the key of purpose `live`; all others but sources use `data key`. */
export function livePassphrasePlace(liveInputID: string): string {
  return `live-input/${liveInputID}`;
}

/** Grant of a channel's owner. */
export function grantPlace(connectionID: string): string {
  return `connection/${connectionID}`;
}

/** PKCE verifier of a consent under way. */
export function verifierPlace(connectionID: string): string {
  return `verifier/${connectionID}`;
}

/** Key of a stream's ingest at a managed platform. */
export function ingestKeyPlace(streamID: string): string {
  return `ingest/${streamID}`;
}

/** Answer with a secret that is kept for repeated requests. */
export function answerPlace(userID: string, operationID: string, idempotencyKey: string): string {
  return `answer/${userID}/${operationID}/${idempotencyKey}`;
}
