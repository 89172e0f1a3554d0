// Splits prose into sentences and finds the suspicious ones.
import { passagesOf } from './passages.ts';
import { proseRules } from './rules.ts';

export interface Sentence {
  readonly path: string;
  /** The line of the file where the sentence begins, from 1. */
  readonly line: number;
  readonly text: string;
  /** The names of the rules that the sentence breaks; usually empty. */
  readonly rules: readonly string[];
}

/** An end of a sentence, not after an abbreviation or an initial. A tag of a doc comment also begins a sentence. */
const sentenceEnd =
  /(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|[A-Z]))[.!?…][)"”’'*_]*\s+(?=[(“"'*_`[]*[A-Z\d`…])|\s(?=@[a-z]+\b)/g;
const tag = /^@[a-z]+\s+(?:\{[^}]*\}\s*)?/;

/** All sentences of a file, in order. */
export function sentencesOf(path: string, text: string): Sentence[] {
  return passagesOf(path, text).flatMap((passage) => {
    const bounds = [0, ...[...passage.text.matchAll(sentenceEnd)].map(({ 0: end, index }) => index + end.length)];
    return bounds.flatMap((start, index) => {
      const sentence = passage.text.slice(start, bounds[index + 1]).trim();
      if (!/[a-z]{2}/.test(sentence)) return [];
      const { line } = passage.lines.findLast(({ offset }) => offset <= start)!;
      return [{ path, line, text: sentence, rules: rulesBrokenBy(sentence) }];
    });
  });
}

/** The names of the rules that one sentence breaks. */
export function rulesBrokenBy(sentence: string): string[] {
  const words = plainWords(sentence);
  return proseRules.filter(({ pattern }) => pattern.test(words)).map(({ name }) => name);
}

/** The sentence without its tag, code, links, addresses and emphasis. */
function plainWords(sentence: string): string {
  return sentence
    .replace(tag, '')
    .replaceAll(/(`+)[^`]+\1/g, '`…`')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\b[a-z]+:\/\/\S+/g, '`…`')
    .replaceAll(/[[\]]|\*\*|__/g, '')
    .replaceAll('’', "'");
}
