// What a platform tells us by itself, by requests that it signs.

/** The request as it came: the signature is over the bytes of its body. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly body: string;
}

export interface EventSubscription {
  readonly accountID: string;
  /** Where `readEvent` reads what comes. https alone, as the platforms ask for. */
  readonly callbackURL: string;
}

/**
 * An event may come twice, with the same id, and out of order: it is a reason to look, and never the news itself.
 * `challenge`: the platform asks whether this address is ours; answer with these words, as plain text.
 */
export type PlatformEvent = { readonly id: string; readonly at: Date } & (
  | { readonly kind: 'challenge'; readonly answer: string }
  | { readonly kind: 'live' | 'offline' | 'revoked' | 'changed'; readonly accountID: string }
);

/** A request that its platform did not sign, or signed too long ago, or whose body is not as documented. */
export class UnsignedEvent extends Error {}

/** A request older than this is refused, as one may be sent again by whoever saw it. */
export const longestEventAgeMs = 10 * 60_000;

/** @throws {UnsignedEvent} where a time is no time, or too far from now on either side */
export function readEventTime(text: string | null, now: Date): Date {
  const at = new Date(text ?? '');
  // The comparison is false for NaN.
  if (Math.abs(now.getTime() - at.getTime()) <= longestEventAgeMs) return at;
  throw new UnsignedEvent('the time is missing, or too far from now');
}
