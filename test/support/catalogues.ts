// The catalogues of the page's words, as flat lists.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../../lambda/web/languages.ts';

const folder = join(import.meta.dirname, '../../lambda/web/words');

export type Entry = string | ((...given: never[]) => string);

/** All entries of a catalogue by file, export and path, such as `-alerts.ts alertsWords kinds email`. */
export async function catalogueOf(language: Language): Promise<ReadonlyMap<string, Entry>> {
  const files = globSync(`${language}{,-*}.ts`, { cwd: folder });
  const modules = await Promise.all(
    files.map(async (file) => [file.slice(language.length), await import(join(folder, file))] as const),
  );
  return new Map(modules.flatMap(([file, exported]) => entriesOf(exported, file)));
}

function entriesOf(words: object, path: string): readonly (readonly [string, Entry])[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'object' ? entriesOf(value, `${path} ${key}`) : [[`${path} ${key}`, value as Entry] as const],
  );
}
