// A text of a user as one line that cannot disturb the text around it.

/** Control characters, and characters that change the direction of the text after them. */
const unshown = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** The text without lone surrogates, line breaks, other control characters, and changes of direction. */
export function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(unshown, ' ').trim();
}

/** @param mostCharacters with the `…` at the end of a shortened text */
export function shortened(text: string, mostCharacters: number): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 1).toWellFormed()}…`;
}
