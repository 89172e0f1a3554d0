// The slots that a replica holds of its agent: none while it has been off the air for minutes.
import type { Replica } from '../../data/replicas.ts';
import { keepsSlotsMs, OffAirTime } from '../../domain/off-air.ts';
import { NoRoom } from './faults.ts';

/** The slots of the agent, for a replica that gave its own back and can be on the air again. */
export interface Room {
  /** Calls `begin` if there is room for so many slots, so that they are the replica's. @returns whether there is */
  take(slots: number, begin: () => void): Promise<boolean>;
  /** Gives the replica to an agent that has room. */
  leave(): void;
}

export class HeldSlots {
  readonly #slots: number;
  readonly #room: Room;
  readonly #steadyClock: () => number;
  readonly #offAir: OffAirTime;
  #isResting = false;

  constructor(replica: Replica, room: Room, steadyClock: () => number) {
    const { slots, since, failing_since: failingSince } = replica;
    this.#slots = slots;
    this.#room = room;
    this.#steadyClock = steadyClock;
    // The agents before this one count as well.
    const beforeMs = failingSince === null ? 0 : Math.max(0, since.getTime() - failingSince.getTime());
    this.#offAir = new OffAirTime(beforeMs, steadyClock());
  }

  /** How many it holds now. */
  get count(): number {
    return this.#isResting ? 0 : this.#slots;
  }

  /** Whether it gave its slots back, and is tried without. */
  get isResting(): boolean {
    return this.#isResting;
  }

  get offAirMs(): number {
    return this.#offAir.atMs(this.#steadyClock());
  }

  /** The destination takes media from now on, or no more. */
  noteOnAir(isOnAir: boolean): void {
    this.#offAir.note(isOnAir, this.#steadyClock());
  }

  /** An attempt, or the connection that it led to, has failed. */
  failed(): void {
    this.noteOnAir(false);
    this.#isResting = this.offAirMs > keepsSlotsMs;
  }

  /** To be called once the destination waits for media. @throws {NoRoom} when others have the slots */
  async takeBack(): Promise<void> {
    if (!this.#isResting) return;
    const isThere = await this.#room.take(this.#slots, () => (this.#isResting = false));
    if (!isThere) throw new NoRoom();
  }
}
