// Requests of guests: viewers of a channel who ask for an item, by a policy of its owner.
// Decision D232.

export interface RequestPolicy {
  /** The collection whose items guests can ask for. */
  readonly collectionID: string;
  /** Granted requests of all guests within an hour. */
  readonly perHour: number;
  /** Minutes between two granted requests of a guest. */
  readonly perGuestMinutes: number;
  /** Minutes after the end of an item in which it is not granted. */
  readonly sameItemMinutes: number;
}

/** The part of the policy that refuses a request, or `requests`: none are taken, `stream`: not on air, or `queue`. */
export type RequestRule = keyof RequestPolicy | 'requests' | 'stream' | 'queue';

export interface RequestRefusal {
  readonly refusedBy: RequestRule;
  readonly detail: string;
  /** When the request would be granted, if nothing else changes; null: not known. */
  readonly allowedAt: Date | null;
}

/** The ends of the waits that follow from granted requests; null: there is no wait. */
export interface RequestWaits {
  readonly channel: Date | null;
  readonly guest: Date | null;
}

export const notTaken: RequestRefusal = {
  refusedBy: 'requests',
  detail: 'This channel takes no requests.',
  allowedAt: null,
};

export const notOnAir: RequestRefusal = {
  refusedBy: 'stream',
  detail: 'This channel takes requests only while it is on air.',
  allowedAt: null,
};

/** The refusal of every item that cannot be asked for: it does not reveal which uploads exist. */
export const notOffered: RequestRefusal = {
  refusedBy: 'collectionID',
  detail: 'This item cannot be asked for. Choose one of the list.',
  allowedAt: null,
};

export const queueFull: RequestRefusal = {
  refusedBy: 'queue',
  detail: 'Too many items wait to be played. Ask again later.',
  allowedAt: null,
};

/** The refusal of the wait that ends last; null: there is none. */
export function refusalOfWaits({ channel, guest }: RequestWaits): RequestRefusal | null {
  if (guest && !(channel && channel > guest))
    return { refusedBy: 'perGuestMinutes', detail: 'You asked a short while ago.', allowedAt: guest };
  if (channel)
    return { refusedBy: 'perHour', detail: 'This channel has granted its requests of the hour.', allowedAt: channel };
  return null;
}

/** @param allowedAt null: the item waits in the queue */
export function sameItem(allowedAt: Date | null): RequestRefusal {
  const detail = allowedAt ? 'This item played a short while ago, or plays now.' : 'This item is queued already.';
  return { refusedBy: 'sameItemMinutes', detail, allowedAt };
}

/** Minutes for which a granted request is kept: the longest wait that follows from it. */
export function keptMinutesOf({ perGuestMinutes }: RequestPolicy): number {
  return Math.max(60, perGuestMinutes);
}
