// Checks that comments, pages and texts for users are plain English: lists suspicious sentences, and holds a budget.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { proseRules } from './support/prose/rules.ts';
import { sentencesOf } from './support/prose/sentences.ts';
import type { Sentence } from './support/prose/sentences.ts';

/** The number of suspicious sentences that the repository may have. Lower it to the count after each improvement. */
const budget = 1;

const root = join(import.meta.dirname, '..');
const usage = `node test/check-prose.ts                     counts suspicious sentences; over the budget, lists them
node test/check-prose.ts PATH...             lists those in the files or folders
node test/check-prose.ts [PATH...] --json    lists them for a program
node test/check-prose.ts [PATH...] --sample N [--seed TEXT]   prints N sentences at random, suspicious or not`;

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) console.log(usage);
else run();

function run(): void {
  const sentences = readSentences(paths);
  const suspicious = sentences.filter(({ rules }) => rules.length > 0);
  if (options.sample !== undefined) console.log(sampleOf(sentences, Number(options.sample)).map(shown).join('\n'));
  else if (options.json) console.log(JSON.stringify(suspicious, null, 2));
  else if (paths.length > 0) listPlaces(sentences, suspicious);
  else holdBudget(sentences, suspicious);
}

function listPlaces(sentences: readonly Sentence[], suspicious: readonly Sentence[]): void {
  for (const sentence of suspicious) console.log(shown(sentence));
  console.log(`\n${suspicious.length} of ${sentences.length} sentences are suspicious.`);
  const broken = new Set(suspicious.flatMap(({ rules }) => rules));
  for (const { name, instead } of proseRules.filter((rule) => broken.has(rule.name))) {
    const count = suspicious.filter(({ rules }) => rules.includes(name)).length;
    console.log(`${String(count).padStart(5)} ${name}: ${instead}`);
  }
}

function holdBudget(sentences: readonly Sentence[], suspicious: readonly Sentence[]): void {
  if (suspicious.length <= budget) {
    console.log(`${suspicious.length} of ${sentences.length} sentences are suspicious; ${budget} may be.`);
    return;
  }
  listPlaces(sentences, suspicious);
  console.log(`Only ${budget} may be suspicious.`);
  process.exitCode = 1;
}

/** Tracked files below the paths, or all. */
function readSentences(below: readonly string[]): Sentence[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...below], { cwd: root, encoding: 'utf8' });
  const files = [...new Set(listed.split('\0'))].filter((path) => path !== '');
  return files
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) => sentencesOf(path, readFileSync(join(root, path), 'utf8')));
}

function shown({ path, line, rules, text }: Sentence): string {
  return `${path}:${line}: ${rules.join(', ') || '-'}: ${text}`;
}

/** Sentences at random, equal for equal seeds as long as the sentences do not change. */
function sampleOf(sentences: readonly Sentence[], count: number): Sentence[] {
  let state = 2_166_136_261;
  for (let at = 0; at < options.seed.length; at++) {
    state = Math.imul(state ^ options.seed.charCodeAt(at), 16_777_619);
  }
  const random = () => {
    state = Math.imul(state ^ (state >>> 15), state | 1);
    state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
    return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
  };
  const left = [...sentences];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0]!,
  );
}
