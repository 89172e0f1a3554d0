// A search of operations by words of a user. It knows the words of the catalogue only.
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { once } from './once.ts';
import { inputSchema } from './operation-tools.ts';

/** The most operations that a search returns. */
const mostFound = 8;

/**
 * A search of operations by words, which returns the best ones. A word in the name counts most, then in the summary,
 * then in the description and the arguments. A word that few operations have counts more than one that many have.
 */
export function searchOf(operations: readonly Operation[]): (words: string) => readonly Operation[] {
  const texts = once(() =>
    operations.map((operation) => ({
      operation,
      inName: new Set(stemsOf(toolName(operation))),
      inSummary: new Set(stemsOf(operation.summary)),
      inRest: new Set(stemsOf(`${operation.description} ${JSON.stringify(inputSchema(operation).properties)}`)),
    })),
  );
  return (words) => {
    const wanted = [...new Set(stemsOf(words))].map((word) => {
      const having = texts().filter(({ inName, inSummary }) => inName.has(word) || inSummary.has(word));
      return { word, weight: Math.log2(1 + operations.length / (1 + having.length)) };
    });
    const rated = texts().map(({ operation, inName, inSummary, inRest }) => {
      const points = wanted.map(({ word, weight }) => {
        const places = (inName.has(word) ? 4 : 0) + (inSummary.has(word) ? 3 : 0) + (inRest.has(word) ? 1 : 0);
        return places * weight;
      });
      // A shorter name wins over a longer one that matches alike.
      return { operation, points: points.reduce((sum, each) => sum + each, 0) - inName.size / 10 };
    });
    const found = rated.filter(({ points }) => points > 1).toSorted((a, b) => b.points - a.points);
    return found.slice(0, mostFound).map(({ operation }) => operation);
  };
}

/** Words that every description has. */
const empty = new Set('a an the of to for in on my and with is by from it type string description'.split(' '));
/** Verbs of users, by those of operations. */
const verbs: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'delete: remove erase',
    'create: add make new',
    'get: show read',
    'update: change edit set',
    'list: find search',
  ].flatMap((line) => {
    const [verb = '', ...others] = line.match(/\w+/g)!;
    return others.map((word) => [word, verb]);
  }),
);

/** The words of a text without their endings, so that “removing uploads” finds “delete an upload”. */
function stemsOf(text: string): readonly string[] {
  const all =
    text
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  const said = all.filter((word) => !empty.has(word));
  return said.map((word) => (verbs[word] ?? word).replace(/(?<=..)(?:ing|ed|es|e|s)$/, ''));
}
