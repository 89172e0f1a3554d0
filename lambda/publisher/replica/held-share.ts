// The share of its agent that a replica occupies: none after minutes off the air.
import type { Replica } from '../../data/fleet/replicas.ts';
import { keepsShareMs, OffAirTime } from '../../domain/fleet/off-air.ts';
import { NoRoom } from './faults.ts';

/** The room of the agent, for a replica that has released its share and can be on the air again. */
export interface AgentRoom {
  /**
   * Reserves the share if there is room, also within the part of the agents for users who are not funded, and then
   * calls `begin`. @returns whether there was room
   */
  take(share: number, begin: () => void): Promise<boolean>;
  /** Releases the replica, for an agent with room. */
  leave(): void;
}

/** A replica that its agent has held all the time, and begins again. */
export interface Resumed {
  /** The share of the agent that it has occupied until now; null: the agent did not publish it. */
  readonly heldShare: number | null;
}

export interface HeldShareOptions {
  readonly replica: Replica;
  /** Absent: it was claimed now, and its agent has room for it. */
  readonly resumed?: Resumed | null;
  /** The share of the agent that the replica occupies on the air, 0 to 1. */
  readonly share: number;
  readonly room: AgentRoom;
  readonly steadyClock: () => number;
}

export class HeldShare {
  readonly #options: HeldShareOptions;
  readonly #offAir: OffAirTime;
  #share: number;
  #isResting: boolean;

  constructor(options: HeldShareOptions) {
    const { replica, resumed = null, share } = options;
    const { since, failing_since: failingSince } = replica;
    this.#options = options;
    this.#share = share;
    // Time off the air at earlier agents counts too.
    const beforeMs = failingSince === null ? 0 : Math.max(0, since.getTime() - failingSince.getTime());
    this.#offAir = new OffAirTime(beforeMs, options.steadyClock());
    // Only a claim counts the room of the agent. Otherwise a retry would return shares that others have by now.
    // Decision D291.
    const isLacking = resumed?.heldShare == null ? beforeMs > keepsShareMs : resumed.heldShare < share;
    this.#isResting = resumed !== null && isLacking;
  }

  /** The share that it occupies now. */
  get now(): number {
    return this.#isResting ? 0 : this.#share;
  }

  /** Sets the share that it occupies on the air, after its cost has changed. The agent has room for it. */
  setTo(share: number): void {
    this.#share = share;
  }

  /** Whether it has released its share. Attempts are then made without one. */
  get isResting(): boolean {
    return this.#isResting;
  }

  get offAirMs(): number {
    return this.#offAir.atMs(this.#options.steadyClock());
  }

  /** The destination accepts media from now on, or no longer does. */
  setOnAir(isOnAir: boolean): void {
    this.#offAir.record(isOnAir, this.#options.steadyClock());
  }

  /** An attempt, or the connection that it led to, has failed. */
  failed(): void {
    this.setOnAir(false);
    this.#isResting ||= this.offAirMs > keepsShareMs;
  }

  /** Takes the share back; call it once the destination waits for media. @throws {NoRoom} when other streams have it */
  async takeBack(): Promise<void> {
    if (!this.#isResting) return;
    const hasRoom = await this.#options.room.take(this.#share, () => (this.#isResting = false));
    if (!hasRoom) throw new NoRoom();
  }
}
