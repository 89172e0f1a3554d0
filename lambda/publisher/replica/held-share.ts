// The share of its agent that a replica occupies: none after minutes off the air.
import type { Replica } from '../../data/fleet/replicas.ts';
import { keepsShareMs, OffAirTime } from '../../domain/fleet/off-air.ts';
import { NoRoom } from './faults.ts';

/** The room of the agent, for a replica that has released its share and can be on the air again. */
export interface AgentRoom {
  /** Reserves the share if there is room, and then calls `begin`. @returns whether there was room */
  take(share: number, begin: () => void): Promise<boolean>;
  /** Releases the replica, for an agent with room. */
  leave(): void;
}

export interface HeldShareOptions {
  readonly replica: Replica;
  /** The share of the agent that the replica occupies on the air, 0 to 1. */
  readonly share: number;
  readonly room: AgentRoom;
  readonly steadyClock: () => number;
}

export class HeldShare {
  readonly #options: HeldShareOptions;
  readonly #offAir: OffAirTime;
  #isResting = false;

  constructor(options: HeldShareOptions) {
    const { since, failing_since: failingSince } = options.replica;
    this.#options = options;
    // Time off the air at earlier agents counts too.
    const beforeMs = failingSince === null ? 0 : Math.max(0, since.getTime() - failingSince.getTime());
    this.#offAir = new OffAirTime(beforeMs, options.steadyClock());
  }

  /** The share that it occupies now. */
  get now(): number {
    return this.#isResting ? 0 : this.#options.share;
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
    this.#isResting = this.offAirMs > keepsShareMs;
  }

  /** Takes the share back; call it once the destination waits for media. @throws {NoRoom} when other streams have it */
  async takeBack(): Promise<void> {
    if (!this.#isResting) return;
    const { share, room } = this.#options;
    const hasRoom = await room.take(share, () => (this.#isResting = false));
    if (!hasRoom) throw new NoRoom();
  }
}
