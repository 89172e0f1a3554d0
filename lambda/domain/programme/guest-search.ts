// The search of guests: each word that is searched begins a word of an item, in any case and without accents.

/** The words of a text in the form in which they are compared. It is slow for thousands of texts: keep the words. */
export function foldedWords(text: string): readonly string[] {
  const folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return folded.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether each word of a search begins a word of an item. Both are folded. */
export function hasWords(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((each) => words.some((word) => word.startsWith(each)));
}
