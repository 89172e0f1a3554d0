// The documents: every path that they name exists, and decisions have unique numbers in the repository.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const list = (...globs: string[]) =>
  globSync(globs, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
const files = list('{bin,lib,lambda,test}/**');
const documents = list('*.md', '.github/*.md', '{bin,lib,lambda,test}/**/*.md').map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

/** Texts in documents that look like paths of this repository but are not, with reasons. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['live.mjs', 'a script that the reader makes'],
  ['streams.mjs', 'a script that the reader makes'],
  ['codegen.ts', 'a file in the front end of the reader'],
  ['.vscode/mcp.json', 'a file of the reader’s editor'],
  ['.cursor/mcp.json', 'a file of the reader’s editor'],
  ['lib/archive/archive-stack.ts', 'made by who follows a recipe'],
  ['test/stacks/templates/archive.json', 'made by who follows a recipe'],
  ['lambda/operations/destinations/get-destination-use.ts', 'made by who follows a recipe'],
  ['lambda/ports/timers/process-timers.ts', 'made by who follows a recipe'],
  ['test/ports/process-timers.test.ts', 'made by who follows a recipe'],
  ['lambda/domain/destinations/ways/whip.ts', 'made by who follows a recipe'],
  ['lambda/publisher/whip/way.ts', 'made by who follows a recipe'],
  ['test/publisher/whip', 'made by who follows a recipe'],
]);

const codeBlock = /^( *)```(\w*)\n([^]*?)^\1```$/gm;
/** Words in capitals are placeholders for a name that the reader chooses: `NNNN_what.sql`. */
const isForm = (path: string) => /[A-Z]{4,}/.test(path.replaceAll('README', ''));
const isPath = (word: string) =>
  /^[\w.-]+(?:\/[\w.-]+)*\.(?:tsx?|mjs|js|sql|md|json|ya?ml|py|txt|toml|graphql|mp4)$/.test(word) ||
  /^(?:bin|lib|lambda|test|\.github|\.ci)\/[\w./-]+$/.test(word);

/** Paths in a text: targets of links, path-like words in backticks, and files in pictures and commands. */
function pathsIn(text: string): string[] {
  const prose = text.replaceAll(codeBlock, '');
  const links = [...prose.matchAll(/\]\((?!\w+:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
  const words = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word).filter(isPath);
  const inCode = [...text.matchAll(codeBlock)].flatMap(([, , language, code = '']) => {
    const files = language === 'mermaid' ? /[\w./-]+\.ts\b/g : /(?<![\w./-])(?:bin|lib|lambda|test)\/[\w./-]+\.ts\b/g;
    return [...code.matchAll(files)].map(([path]) => path);
  });
  return [...new Set([...links, ...[...words, ...inCode].filter((path) => !isForm(path))])];
}

/** The folders that a table names in its column “Folder”. */
function foldersIn(text: string): string[] {
  const tables = text.replaceAll(codeBlock, '').matchAll(/^\| Folder \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)/gm);
  const cells = [...tables].flatMap(([, rows = '']) => rows.split('\n').map((row) => row.split('|')[1] ?? ''));
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => folder));
}

/**
 * Whether a path exists. It begins at the root, at the document or in `lambda`; in the picture of the publisher, at its
 * folder. A name alone is a file below the document, or anywhere if the document is not in a folder of code.
 */
function isThere(path: string, document: string): boolean {
  const folder = dirname(document);
  if ([folder, '.', 'lambda', 'lambda/publisher'].some((base) => existsSync(join(root, base, path)))) return true;
  if (path.includes('/')) return false;
  const below = files.some((file) => file.startsWith(folder)) ? `${folder}/` : '';
  return files.some((file) => file.startsWith(below) && basename(file) === path);
}

describe('documents', () => {
  it('name files that are there', () => {
    const missing = documents.flatMap(({ path: document, text }) =>
      pathsIn(text)
        .filter((path) => !elsewhere.has(path) && !isThere(path, document))
        .map((path) => `${document}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('name folders that are there', () => {
    const missing = documents.flatMap(({ path: document, text }) =>
      foldersIn(text)
        .filter((folder) => !existsSync(join(root, dirname(document), folder)))
        .map((folder) => `${document}: ${folder}`),
    );
    expect(missing).toEqual([]);
  });

  it('name all that they may name although it is elsewhere', () => {
    const named = new Set(documents.flatMap(({ text }) => pathsIn(text)));
    expect([...elsewhere.keys()].filter((path) => !named.has(path))).toEqual([]);
  });
});

interface Decision {
  readonly number: number;
  readonly title: string;
  readonly readme: string;
}

/** The list items under “Decisions”, each on one line. */
function decisionsIn({ path: readme, text }: (typeof documents)[number]): Decision[] {
  const [, list = ''] = /^## Decisions\n[^]*?((?:(?:- |\d+\. |  ).*\n)+)/m.exec(text) ?? [];
  const items = list.replaceAll(/\n +/g, ' ').split('\n').slice(0, -1);
  return items.map((item) => {
    const [, number, title] = /^- \*\*D(\d+)\. (.+?)\.?\*\*/.exec(item) ?? [];
    if (number === undefined || title === undefined) throw new Error(`${readme}: a decision without a number: ${item}`);
    return { number: Number(number), title, readme };
  });
}

const index = '.github/decisions.md';

describe('decisions', () => {
  const decisions = documents.flatMap(decisionsIn).toSorted((one, other) => one.number - other.number);
  const rows = readFileSync(join(root, index), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| D'))
    .map((line) => line.split(' | '));

  it('have one text each', () => {
    expect(decisions.map(({ number }) => number)).toEqual([...new Set(decisions.map(({ number }) => number))]);
  });

  it('are listed in the index by rising numbers, each with a day, a title, and its README or “archived”', () => {
    const numbers = rows.map(([name = '']) => Number(/^\| D(\d+)$/.exec(name)?.[1]));
    const unlike = rows.filter(([, day = '', text = '', place = ''], index) => {
      const kept = decisions.find(({ number }) => number === numbers[index]);
      const isPlaced = kept
        ? text.startsWith(kept.title) && place.includes(`](../${kept.readme}#decisions)`)
        : place === 'archived |';
      const rises = numbers[index]! > (numbers[index - 1] ?? 0);
      return !rises || !isPlaced || !/^\d{4}-\d\d-\d\d$/.test(day) || day < (rows[index - 1]?.[1] ?? '');
    });
    expect(unlike).toEqual([]);
    expect(numbers).toEqual(expect.arrayContaining(decisions.map(({ number }) => number)));
  });

  it('with a text are cited by the code that they explain', () => {
    const code = list('{bin,lib,lambda,test}/**/{*.{ts,tsx,mjs,sql,py},Dockerfile}').map((path) =>
      readFileSync(join(root, path), 'utf8'),
    );
    const cited = new Set(
      code.flatMap((text) => [...text.matchAll(/\b[Dd]ecision D(\d+)\b/g)].map(([, n]) => Number(n))),
    );
    expect(decisions.filter(({ number }) => !cited.has(number))).toEqual([]);
  });

  it('are cited by numbers that exist', () => {
    const numbers = new Set(decisions.map(({ number }) => `D${number}`));
    const sources = list(
      '*.md',
      '.github/*.md',
      '.github/workflows/*',
      '{bin,lib,lambda,test}/**/*.{ts,tsx,mjs,sql,md,py}',
    );
    const wrong = sources.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/\b[Dd]ecisions? (D?\d+)\b/g)]
        .filter(([, cited = '']) => !numbers.has(cited))
        .map(([citation]) => `${path}: ${citation}`),
    );
    expect(wrong).toEqual([]);
  });
});
