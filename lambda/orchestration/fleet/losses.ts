// The streams that dead agents held, while a process recovers them: which come next, and to whom they are dealt out.
import type { Database } from '../../data/database.ts';
import type { Place } from '../../data/shared/places.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { Dealer, dealtFrom } from '../../domain/fleet/dealing.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** No more are listed at a time. What is beyond is listed after them. */
const mostListed = 20_000;

export class Losses {
  readonly #agentID: string | null;
  readonly #listed: string[] = [];
  /** Whether any of those that were listed last were free to be locked: only then is it worth listing again. */
  #wereAnyFree = true;
  #areMany = false;
  readonly #dealers = new Map<number, Dealer | null>();

  /** @param agentID the agent whose process this is; null where it is none */
  constructor(agentID: string | null) {
    this.#agentID = agentID;
  }

  /**
   * Locks the next streams that nobody else has locked: of few users at a time, as whatever a user's credits depend on
   * is then written once for many streams, and seldom waits for other processes, each of which begins elsewhere.
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

  /** Lists what is lost by now: the leases of those that are lost together end one after the other, for a second. */
  async #list(data: Database, { number, outOf }: Place): Promise<void> {
    const all = await data.replicaLosses.lostStreams(mostListed);
    this.#areMany ||= all.length >= dealtFrom.lost;
    const first = Math.floor((all.length * (number - 1)) / outOf);
    this.#listed.push(...all.slice(first), ...all.slice(0, first));
    this.#wereAnyFree = false;
  }

  /**
   * Who deals out what was lost, as far as processes at other places deal to other agents; null where it waits to be
   * claimed.
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
