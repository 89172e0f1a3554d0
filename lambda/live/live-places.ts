// The places of one live ingest in use: several contributors of one input follow each other in the same ones.
import type { IngestPlaces } from '../domain/live/ingest-places.ts';

/** The places that a contributor asks for. */
interface WantedPlaces {
  /** Id of the input. */
  readonly id: string;
  readonly userID: string;
  readonly isFunded: boolean;
  readonly places: number;
}

interface Held {
  readonly id: string;
  readonly userID: string;
  /** As of the last admission. */
  isFunded: boolean;
  places: number;
  /** A session, and contributors who are being admitted. */
  holders: number;
  /** Without a holder, the places are kept until then, in ms of the steady clock. */
  keptUntilMs: number;
}

type PlaceRefusal = 'too_demanding' | 'no_room' | 'share_used' | 'unfunded_share_used';

/** Places of a contributor until they are disposed. */
export interface TakenPlaces extends Disposable {
  /** Keeps them for this time, also once they are disposed, for the next contributor of the input. */
  keepFor(seconds: number): void;
}

export class LivePlaces {
  readonly #places: IngestPlaces;
  readonly #steadyClock: () => number;
  readonly #byInput = new Map<string, Held>();

  /** @param steadyClock milliseconds that never go back */
  constructor(places: IngestPlaces, steadyClock: () => number) {
    this.#places = places;
    this.#steadyClock = steadyClock;
  }

  /** The number of places in use, or kept. */
  get inUse(): number {
    this.#forgetKept();
    return placesOfAll([...this.#byInput.values()]);
  }

  /**
   * Takes the places of an input until they are disposed.
   * @returns `too_demanding`: a session of this format needs more than the machine has. `no_room`: too few are free.
   * `share_used`: the user would have more than one user may have, and has some already. `unfunded_share_used`: users
   * who are not funded would have more than all of them may have
   */
  take(wanted: WantedPlaces): TakenPlaces | PlaceRefusal {
    const { id, userID, isFunded, places } = wanted;
    if (places > this.#places.ofSession) return 'too_demanding';
    this.#forgetKept();
    const held = this.#byInput.get(id) ?? { id, userID, isFunded, places: 0, holders: 0, keptUntilMs: -Infinity };
    if (places > held.places) {
      const refusal = this.#makeRoom(wanted);
      if (refusal) return refusal;
      held.places = places;
      this.#byInput.set(id, held);
    }
    held.holders += 1;
    held.isFunded = isFunded;
    return {
      keepFor: (seconds) => (held.keptUntilMs = this.#steadyClock() + 1000 * seconds),
      [Symbol.dispose]: () => this.#leave(held),
    };
  }

  /** Gives up kept places that give way, as far as the wanted ones need them. @returns null: there is room */
  #makeRoom(wanted: WantedPlaces): PlaceRefusal | null {
    const others = [...this.#byInput.values()].filter(({ id }) => id !== wanted.id);
    const firm = others.filter((other) => !givesWay(other, wanted));
    const refusal = this.#refusalBeside(firm, wanted);
    if (refusal) return refusal;
    const kept = others.filter((other) => givesWay(other, wanted));
    while (this.#refusalBeside([...firm, ...kept], wanted)) this.#byInput.delete(kept.shift()!.id);
    return null;
  }

  #refusalBeside(others: readonly Held[], { userID, isFunded, places }: WantedPlaces): PlaceRefusal | null {
    const { count, ofUser, ofUnfunded } = this.#places;
    const own = placesOfAll(others.filter((other) => other.userID === userID));
    if (own > 0 && own + places > ofUser) return 'share_used';
    const unfunded = placesOfAll(others.filter((other) => !other.isFunded));
    if (!isFunded && unfunded + places > ofUnfunded) return 'unfunded_share_used';
    return placesOfAll(others) + places > count ? 'no_room' : null;
  }

  #leave(held: Held): void {
    held.holders -= 1;
    this.#forgetKept();
  }

  #forgetKept(): void {
    const nowMs = this.#steadyClock();
    for (const [id, { holders, keptUntilMs }] of this.#byInput)
      if (holders === 0 && keptUntilMs <= nowMs) this.#byInput.delete(id);
  }
}

/**
 * Whether kept places keep out no such contributor: another one of their user, or one of a user who is funded while
 * theirs is not.
 */
function givesWay({ holders, ...kept }: Held, { userID, isFunded }: WantedPlaces): boolean {
  return holders === 0 && (kept.userID === userID || (isFunded && !kept.isFunded));
}

function placesOfAll(held: readonly Held[]): number {
  return held.reduce((sum, { places }) => sum + places, 0);
}
