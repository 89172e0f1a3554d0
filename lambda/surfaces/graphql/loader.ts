// Reads related resources together: all that one step of a query asks for, with one statement for each kind.

export interface Loader<Value> {
  load(id: string): Promise<Value | null>;
  /** Forgets what was read: something has changed. */
  clear(): void;
}

/** @param loadMany reads some of them; what it leaves out is not there */
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

/** Once everything that can ask without waiting has asked. */
function allAsked(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
