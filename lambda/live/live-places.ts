// The places of one live ingest in use: several contributors of one input follow each other in one place.
import type { Lanes } from '../domain/fleet/lanes.ts';

interface Place {
  readonly userID: string;
  /** A session, and contributors who are being admitted. */
  holders: number;
}

export class LivePlaces {
  readonly #lanes: Lanes;
  readonly #byInput = new Map<string, Place>();

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  /**
   * Takes the place of an input until it is disposed.
   * @returns `no_room`: all places are in use. `share_used`: the user has as many as one user may have
   */
  take({ id, userID }: { readonly id: string; readonly userID: string }): Disposable | 'no_room' | 'share_used' {
    const place = this.#byInput.get(id) ?? { userID, holders: 0 };
    if (place.holders === 0) {
      const ofUser = this.#byInput.values().filter((other) => other.userID === userID);
      if ([...ofUser].length >= this.#lanes.ofUser) return 'share_used';
      if (this.#byInput.size >= this.#lanes.count) return 'no_room';
      this.#byInput.set(id, place);
    }
    place.holders += 1;
    return { [Symbol.dispose]: () => this.#leave(id, place) };
  }

  #leave(id: string, place: Place): void {
    place.holders -= 1;
    if (place.holders === 0) this.#byInput.delete(id);
  }
}
