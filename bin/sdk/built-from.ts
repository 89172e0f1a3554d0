// The description of the API that both SDKs were last built from, as a hash that is committed. Decision D254.
import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../lambda/surfaces/sdk/built-from.json');

export interface BuiltFrom {
  readonly operations: number;
  /** SHA-256 of the description without words for people, which generators only copy. */
  readonly sha256: string;
}

export function builtFrom(description: { readonly paths: object }): BuiltFrom {
  const operations = Object.values(description.paths).flatMap((methods) => Object.keys(methods as object)).length;
  // Words are texts; a property of a schema may have the name of one, and is an object.
  const isWords = (name: string, value: unknown) => /^(?:description|summary)$/.test(name) && typeof value === 'string';
  const form = JSON.stringify(description, (name, value: unknown) =>
    isWords(name, value) || name === 'example' || name === 'examples' ? undefined : value,
  );
  return { operations, sha256: hash('sha256', form) };
}

export async function readBuilt(): Promise<BuiltFrom> {
  return JSON.parse(await readFile(file, 'utf8')) as BuiltFrom;
}

/** @param path the description that both SDKs were built from */
export async function keepBuilt(path: string): Promise<void> {
  const description = JSON.parse(await readFile(path, 'utf8')) as { readonly paths: object };
  await writeFile(file, `${JSON.stringify(builtFrom(description), null, 2)}\n`);
}
