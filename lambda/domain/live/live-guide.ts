// Guides of streams that are taken over.

interface Timed {
  readonly startAt: Date;
  readonly endAt: Date;
}

/** The items of a guide with one in place of all others during its time. @param items in order of their times */
export function withItemOver<Item extends Timed>(items: readonly Item[], over: Item): Item[] {
  const before = items.filter(({ startAt }) => startAt < over.startAt);
  const after = items.filter(({ endAt }) => endAt > over.endAt);
  return [
    ...before.map((item) => (item.endAt > over.startAt ? { ...item, endAt: over.startAt } : item)),
    over,
    ...after.map((item) => (item.startAt < over.endAt ? { ...item, startAt: over.endAt } : item)),
  ];
}
