// The name of a stream on the page.
import { words } from '#words';

export function nameOf({ name }: { readonly name: string | null }): string {
  return name === null || name === '' ? words.streams.unnamed : name;
}
