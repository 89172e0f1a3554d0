// The memory of an API function that one kind of kept answers may take, and about what an item in them takes.

/** In bytes. A function has 1 GiB, and reads for several streams at once. */
export const mostKeptBytes = 64 * 1024 * 1024;

/** The bytes of an item without its texts, of each text, and of a character of it. */
const costs = { facts: 1000, text: 40, character: 2 };

/** About the bytes that an item with these texts takes in memory. */
export function bytesOfItem(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + costs.text + costs.character * length, costs.facts);
}
