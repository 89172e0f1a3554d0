// The part of its agent that a replica takes: nothing while it has been off the air for minutes.
import type { Replica } from '../../data/fleet/replicas.ts';
import { keepsShareMs, OffAirTime } from '../../domain/fleet/off-air.ts';
import { NoRoom } from './faults.ts';

/** The room of the agent, for a replica that gave its share back and can be on the air again. */
export interface AgentRoom {
  /** Calls `begin` if there is room for such a share, so that it is the replica's. @returns whether there is */
  take(share: number, begin: () => void): Promise<boolean>;
  /** Gives the replica to an agent that has room. */
  leave(): void;
}

export interface HeldShareOptions {
  readonly replica: Replica;
  /** The part of the agent that it takes on the air. */
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
    // The agents before this one count as well.
    const beforeMs = failingSince === null ? 0 : Math.max(0, since.getTime() - failingSince.getTime());
    this.#offAir = new OffAirTime(beforeMs, options.steadyClock());
  }

  /** What it takes at the moment. */
  get now(): number {
    return this.#isResting ? 0 : this.#options.share;
  }

  /** Whether it gave its share back, and is tried without. */
  get isResting(): boolean {
    return this.#isResting;
  }

  get offAirMs(): number {
    return this.#offAir.atMs(this.#options.steadyClock());
  }

  /** The destination takes media from now on, or no more. */
  noteOnAir(isOnAir: boolean): void {
    this.#offAir.note(isOnAir, this.#options.steadyClock());
  }

  /** An attempt, or the connection that it led to, has failed. */
  failed(): void {
    this.noteOnAir(false);
    this.#isResting = this.offAirMs > keepsShareMs;
  }

  /** To be called once the destination waits for media. @throws {NoRoom} when others take that part of the agent */
  async takeBack(): Promise<void> {
    if (!this.#isResting) return;
    const { share, room } = this.#options;
    const isThere = await room.take(share, () => (this.#isResting = false));
    if (!isThere) throw new NoRoom();
  }
}
