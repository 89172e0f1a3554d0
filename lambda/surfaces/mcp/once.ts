// Values that are made when they are first needed: descriptions of tools take tenths of a second.

/** A function that makes its value at the first call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
