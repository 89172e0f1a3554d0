// Loads related resources in batches: all resources of one kind that one step of a query needs.

export interface Loader<Value> {
  load(id: string): Promise<Value | null>;
  /** Forgets loaded values, because they may have changed. */
  clear(): void;
}

/**
 * Creates a loader.
 * @param loadMany loads the values with these IDs; it leaves out those that do not exist
 */
export function createLoader<Value extends { readonly id: string }>(
  loadMany: (ids: readonly string[]) => Promise<readonly Value[]>,
): Loader<Value> {
  const known = new Map<string, Promise<Value | null>>();
  let waiting: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, Value>> } | null = null;
  return {
    load(id) {
      const before = known.get(id);
      if (before) return before;
      waiting ??= begin();
      waiting.ids.add(id);
      const value = waiting.found.then((found) => found.get(id) ?? null);
      known.set(id, value);
      return value;
    },
    clear: () => known.clear(),
  };

  function begin() {
    const ids = new Set<string>();
    const found = allAsked().then(async () => {
      waiting = null;
      return new Map((await loadMany([...ids])).map((value) => [value.id, value]));
    });
    return { ids, found };
  }
}

/** Resolves when every resolver of the current step has requested its values. */
function allAsked(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
