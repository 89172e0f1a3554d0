// The streams of dead agents during a recovery: the next ones to recover, and the agents that get them.
import type { Database } from '../../data/database.ts';
import type { Place } from '../../data/shared/places.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { Dealer, dealtFrom } from '../../domain/fleet/dealing.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The most streams in one list. The rest is listed after them. */
const mostListed = 20_000;

export class Losses {
  readonly #agentID: string | null;
  readonly #listed: string[] = [];
  /** Whether any stream of the last list could be locked: only then another list is worth its cost. */
  #wereAnyFree = true;
  #areMany = false;
  readonly #dealers = new Map<number, Dealer | null>();

  /** @param agentID the agent of this process; null: none */
  constructor(agentID: string | null) {
    this.#agentID = agentID;
  }

  /**
   * Locks the next streams that no other process has locked. A set has few users, so that their accounts are written
   * once for many streams. Each process begins at another part of the list, so that they rarely wait for each other.
   */
  async lockSome(
    data: Database,
    place: Place,
    except: readonly string[],
    count: number,
  ): Promise<readonly Locked<Stream>[]> {
    while (this.#listed.length > 0 || this.#wereAnyFree) {
      if (this.#listed.length === 0) await this.#list(data, place);
      const ids = this.#listed.splice(0, count).filter((id) => !except.includes(id));
      const locked = ids.length === 0 ? [] : await data.replicaLosses.lockLost(ids);
      if (locked.length > 0) {
        this.#wereAnyFree = true;
        return locked;
      }
    }
    return [];
  }

  /** Lists the lost streams. The leases of agents that die together end one after the other, within a second. */
  async #list(data: Database, { number, outOf }: Place): Promise<void> {
    const all = await data.replicaLosses.lostStreams(mostListed);
    this.#areMany ||= all.length >= dealtFrom.lost;
    const first = Math.floor((all.length * (number - 1)) / outOf);
    this.#listed.push(...all.slice(first), ...all.slice(0, first));
    this.#wereAnyFree = false;
  }

  /**
   * The dealer for the agents of this place; processes at other places deal to other agents. Null: lost replicas wait
   * to be claimed.
   */
  async dealer(data: Database, { number, outOf }: Place): Promise<Dealer | null> {
    if (!this.#areMany) return null;
    if (!this.#dealers.has(number)) {
      const all = await data.replicaLosses.dealees();
      const ours = all.filter(({ id }, index) => id !== this.#agentID && index % outOf === number - 1);
      this.#dealers.set(number, all.length < dealtFrom.agents ? null : new Dealer(ours));
    }
    return this.#dealers.get(number)!;
  }
}
