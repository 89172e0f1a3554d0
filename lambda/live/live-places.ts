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
  readonly userID: string;
  /** As of the last admission. */
  isFunded: boolean;
  places: number;
  /** A session, and contributors who are being admitted. */
  holders: number;
}

type PlaceRefusal = 'too_demanding' | 'no_room' | 'share_used' | 'unfunded_share_used';

export class LivePlaces {
  readonly #places: IngestPlaces;
  readonly #byInput = new Map<string, Held>();

  constructor(places: IngestPlaces) {
    this.#places = places;
  }

  /** The number of places in use. */
  get inUse(): number {
    return this.#sum(() => true);
  }

  /**
   * Takes the places of an input until they are disposed.
   * @returns `too_demanding`: a session of this format needs more than the machine has. `no_room`: too few are free.
   * `share_used`: the user would have more than one user may have, and has some already. `unfunded_share_used`: users
   * who are not funded would have more than all of them may have
   */
  take({ id, userID, isFunded, places }: WantedPlaces): Disposable | PlaceRefusal {
    if (places > this.#places.ofSession) return 'too_demanding';
    const held = this.#byInput.get(id) ?? { userID, isFunded, places: 0, holders: 0 };
    if (places > held.places) {
      const ofUser = this.#sum((other) => other !== held && other.userID === userID);
      if (ofUser > 0 && ofUser + places > this.#places.ofUser) return 'share_used';
      const ofUnfunded = this.#sum((other) => other !== held && !other.isFunded);
      if (!isFunded && ofUnfunded + places > this.#places.ofUnfunded) return 'unfunded_share_used';
      if (this.inUse + places - held.places > this.#places.count) return 'no_room';
      held.places = places;
      this.#byInput.set(id, held);
    }
    held.holders += 1;
    held.isFunded = isFunded;
    return { [Symbol.dispose]: () => this.#leave(id, held) };
  }

  #sum(counts: (held: Held) => boolean): number {
    return this.#byInput.values().reduce((sum, held) => sum + (counts(held) ? held.places : 0), 0);
  }

  #leave(id: string, held: Held): void {
    held.holders -= 1;
    if (held.holders === 0) this.#byInput.delete(id);
  }
}
