// Events that a platform sends in signed requests.

/** The request as received: the signature covers the bytes of its body. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly body: string;
}

export interface EventSubscription {
  readonly accountID: string;
  /** Address whose requests `readEvent` reads. The platforms require https. */
  readonly callbackURL: string;
}

/**
 * An event may come twice, with the same id, and out of order: it is a reason to look, never the news itself.
 * `challenge`: the platform asks whether this address is ours; answer with these words, as plain text.
 */
export type PlatformEvent = { readonly id: string; readonly at: Date } & (
  | { readonly kind: 'challenge'; readonly answer: string }
  | { readonly kind: 'live' | 'offline' | 'revoked' | 'changed'; readonly accountID: string }
);

/** A request without a valid, recent signature of its platform, or with an undocumented body. */
export class UnsignedEvent extends Error {}

/** Age above which a request is refused, as an eavesdropper may repeat it. */
const longestEventAgeMs = 10 * 60_000;

/** @throws {UnsignedEvent} for a text that is no time, or too far from now on either side */
export function readEventTime(text: string | null, now: Date): Date {
  const at = new Date(text ?? '');
  // The comparison is false for NaN.
  if (Math.abs(now.getTime() - at.getTime()) <= longestEventAgeMs) return at;
  throw new UnsignedEvent('the time is missing, or too far from now');
}
