// The listener as each connection of a contributor sees it.
import type { ContributionProtocol, ContributionReceiver, ContributionRefusal } from './contribution.ts';
import type { ListenerLimits } from './listener-limits.ts';

/** Reasons of an end. Those without media are reasons of a refusal. */
export type ConnectionEndReason =
  | ContributionRefusal
  | 'delayed'
  | 'wrong_app'
  | 'door_failed'
  | 'door_busy'
  | 'too_slow'
  | 'too_much_before_key'
  | 'protocol'
  | 'tls_failed'
  | 'unpublished'
  | 'left'
  | 'connection_lost'
  | 'disconnected'
  | 'silent'
  | 'made_room'
  | 'paused_too_long'
  | 'answers_unread'
  | 'too_much_incomplete'
  | 'listener_closed';

/** Whether a connection ended by the network between: its contributor may come back. */
export function isLoss(reason: ConnectionEndReason): boolean {
  return reason === 'connection_lost' || reason === 'silent';
}

/** A connection whose address is known. */
export interface Arrival {
  readonly protocol: ContributionProtocol;
  readonly address: string;
  readonly arrivedAtMs: number;
  /** Bytes on the wire so far. */
  readonly bytesRead: () => number;
}

/** The answer to a key: a receiver, or a refusal that is to be answered after a delay. */
export type Admission =
  | { readonly receiver: ContributionReceiver }
  | { readonly refusal: ConnectionEndReason; readonly delayMs: number };

export interface ContributorHost {
  readonly limits: ListenerLimits;
  readonly steadyClock: () => number;
  /** Asks the door, unless the address is under a delay. Never rejects. */
  admit(arrival: Arrival, key: string, disconnect: () => void): Promise<Admission>;
  /** Bytes that one receiver may have waiting for now. */
  mostWaitingBytes(): number;
  /** Called after each read of a contributor. */
  boundIncompleteBytes(): void;
}
