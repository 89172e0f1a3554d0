// A contribution: the media that one connection of a contributor sends, and the decision to accept it.

/** The protocols over which contributors send. */
export type ContributionProtocol = 'rtmp' | 'rtmps' | 'srt';

/** The claim of a connection before any of its media is read. */
export interface ContributionClaim {
  readonly protocol: ContributionProtocol;
  /** The key that it presents: the stream key of RTMP. Never logged. */
  readonly key: string;
  /** The address of the contributor, behind any load balancer. */
  readonly address: string;
  /** Absent: the protocol knows no passphrase. */
  readonly encryption?: ContributionEncryption;
}

/** The encryption of a connection by a passphrase that both sides know. */
export interface ContributionEncryption {
  /**
   * Compares it with the passphrase of the input, which costs a millisecond of work. Called once at most.
   * @param passphrase null: the input has none
   * @returns null if they agree
   */
  faultFor(passphrase: string | null): Promise<EncryptionFault | null>;
}

/** `encrypted`: the input has no passphrase. */
export type EncryptionFault = 'wrong_passphrase' | 'unencrypted' | 'encrypted';

/** One message of media, as the body of an FLV tag. */
export interface ContributedTag {
  readonly type: 'video' | 'audio';
  /** By the contributor's clock. It may jump, repeat and go back; 32 bits that wrap are unwrapped. */
  readonly timestampMs: number;
  readonly body: Buffer;
}

/** The receiver of a contribution that was accepted. */
export interface ContributionReceiver {
  /** Called for each message of media, in the order of arrival. Never throws. */
  receive(tag: ContributedTag): void;
  /** Bytes that were received and are not processed yet. The listener stops reading above its bound. */
  readonly bytesWaiting: number;
  /**
   * Called once, when the connection is over for any reason.
   * @param end.isLost whether the contributor did not end it, and may come back
   */
  ended(end: { readonly isLost: boolean }): void;
}

/**
 * The reason of a refusal, for our log. The answer to a contributor is the same for the first two. `share_used`: the
 * user of the key has as many contributors as one user may have. `unfunded_share_used`: all users who
 * are not funded have as many as they may have together. `too_demanding`: the ingest has too few cores for the format
 * of the stream. `resting`: sessions of the input ended soon, again and again (`input-rests.ts`).
 */
export type ContributionRefusal =
  | 'unknown_key'
  | 'not_wanted'
  | 'share_used'
  | 'unfunded_share_used'
  | 'too_demanding'
  | 'resting'
  | EncryptionFault;

/** Decides about claims. */
export interface ContributionDoor {
  /**
   * @param disconnect ends the connection, as when another publisher replaces it
   * @returns the receiver, or the reason of the refusal
   */
  admit(claim: ContributionClaim, disconnect: () => void): Promise<ContributionReceiver | ContributionRefusal>;
}
