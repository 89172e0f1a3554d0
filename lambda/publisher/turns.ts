// Takes turns: a few of many at a time, in their order, and again from the first.

export class Turns {
  #taken = 0;

  next<Item>(all: readonly Item[], count: number): Item[] {
    const first = this.#taken < all.length ? this.#taken : 0;
    const turn = all.slice(first, first + count);
    this.#taken = first + turn.length;
    return turn;
  }
}
