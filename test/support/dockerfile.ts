// Parses a Dockerfile into its stages, and runs the bundling of one stage with stand-ins for the bundles.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The part of the image from one FROM to the next. */
export interface ImageStage {
  /** The name that later stages use for it; null for an unnamed stage. */
  readonly name: string | null;
  readonly baseImage: string;
  readonly instructions: readonly Instruction[];
}

export interface Instruction {
  /** In capitals, such as RUN. */
  readonly keyword: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The rest of the instruction after keyword and flags, on one line. */
  readonly text: string;
}

/** The source of a COPY instruction. */
export interface Copy {
  /** The stage that has the files; null for the build context. */
  readonly fromStage: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

export function readDockerfile(text: string): ImageStage[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  const stages: (ImageStage & { readonly instructions: Instruction[] })[] = [];
  for (const line of lines.filter((each) => each.trim() !== '')) {
    const instruction = readInstruction(line);
    if (instruction.keyword === 'FROM') {
      const [baseImage = '', , name = null] = instruction.text.split(/\s+/);
      stages.push({ name, baseImage, instructions: [] });
    } else {
      stages.at(-1)!.instructions.push(instruction);
    }
  }
  return stages;
}

function readInstruction(line: string): Instruction {
  const [, keyword = '', flags = '', text = ''] = /^(\w+)\s+((?:--[\w-]+=\S+\s+)*)(.*)$/.exec(line.trim())!;
  const named = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, name, value]) => [name, value]);
  return { keyword: keyword.toUpperCase(), flags: Object.fromEntries(named), text };
}

/** The texts of all instructions of a kind, in order. */
export function textsOf({ instructions }: ImageStage, keyword: string): string[] {
  return instructions.filter((instruction) => instruction.keyword === keyword).map(({ text }) => text);
}

export function copiesOf({ instructions }: ImageStage): Copy[] {
  const copies = instructions.filter(({ keyword }) => keyword === 'COPY');
  return copies.map(({ flags, text }) => {
    const paths = text.split(/\s+/);
    return { fromStage: flags['from'] ?? null, sources: paths.slice(0, -1), target: paths.at(-1)! };
  });
}

/** The variables that a stage sets. */
export function variablesOf(stage: ImageStage): Readonly<Record<string, string>> {
  const settings = textsOf(stage, 'ENV').flatMap((text) => [...text.matchAll(/(\w+)=(?:"([^"]*)"|(\S*))/g)]);
  return Object.fromEntries(settings.map(([, name, quoted, plain]) => [name, quoted ?? plain!]));
}

/**
 * Runs the bundling scripts of a stage in a folder that replaces its WORKDIR. Each bundle there is a file that only
 * names its entry.
 * @returns each entry, relative to WORKDIR, by the path of the file that the stage makes of it
 */
export function bundledEntriesOf(stage: ImageStage): Readonly<Record<string, string>> {
  const [workFolder = '/'] = textsOf(stage, 'WORKDIR');
  const folder = mkdtempSync(join(tmpdir(), 'image-stage-'));
  try {
    mkdirSync(join(folder, 'lib/shared'), { recursive: true });
    writeFileSync(join(folder, 'lib/shared/bundle.ts'), standInForBundles);
    for (const script of textsOf(stage, 'RUN').filter((text) => text.includes('lib/shared/bundle.ts'))) {
      const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
      const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: folder, env: { PATH }, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${script}: ${stderr}`);
    }
    const files = globSync('**/*.mjs', { cwd: folder });
    const entryIn = (file: string) => posix.relative(workFolder, readFileSync(join(folder, file), 'utf8'));
    return Object.fromEntries(files.map((file) => [posix.join(workFolder, file), entryIn(file)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const realBundles = pathToFileURL(join(import.meta.dirname, '../../lib/shared/bundle.ts')).href;
/** Replaces each entry by one file that names it, written in the same way as a real bundle. */
const standInForBundles = `
  export { writeBundle } from ${JSON.stringify(realBundles)};
  export const bundle = (folder, entries) =>
    new Map(entries.map((entry) => [entry, new Map([['index.mjs', folder + '/' + entry]])]));
`;
