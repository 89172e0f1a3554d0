// The wording of the default list: models choose tools, and fill in arguments, by these sentences alone.
import { describe, expect, it } from 'vitest';
import { guidance } from '../../../lambda/api/mcp-guidance.ts';
import { operations } from '../../../lambda/operations/index.ts';
import { allScopes } from '../../../lambda/operations/scopes.ts';
import { toolsOf } from '../../../lambda/surfaces/mcp/tools.ts';

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly items?: Field;
  readonly oneOf?: readonly Field[];
  readonly properties?: Readonly<Record<string, Field>>;
}

const tools = toolsOf(operations, guidance.toolTexts).choose(null).listFor(allScopes);
const units =
  /seconds|minutes|hours|days|bytes|rows|items|credits|percent|per second|decibels|LUFS|position|starts|of 10|priority/i;

/** All fields below an object, by their paths. */
function fieldsOf(path: string, { properties = {}, items, oneOf = [] }: Field): [string, Field][] {
  const own = Object.entries(properties).flatMap(([name, field]): [string, Field][] => {
    const place = `${path}.${name}`;
    return [[place, field], ...fieldsOf(place, field)];
  });
  const others = [...(items ? [items] : []), ...oneOf].flatMap((option) => fieldsOf(path, option));
  return [...own, ...others];
}

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, { description, inputSchema }) => {
  const fields = fieldsOf(name, inputSchema as Field);
  const isNamed = (end: RegExp) => fields.filter(([path]) => end.test(path));

  it('begins with a verb, tells what it returns, and ends with the next step', () => {
    expect(description).toMatch(/^[A-Z][a-z]+s [^]*\bReturns [^]* Next: [^]+\.$/);
  });

  it('is in whole sentences', () => {
    const sentences = description.split(/(?<=[.!?]) +/);
    expect(sentences.filter((sentence) => !/^["“(]?[A-Z0-9a-z_]+[ :].+[.]$/.test(sentence))).toEqual([]);
    const steps = sentences.filter((sentence) => !sentence.startsWith('Next: '));
    expect(steps.filter((sentence) => sentence.split(' ').length < 3)).toEqual([]);
  });

  it('describes each argument', () => {
    const silent = fields.filter(([, field]) => !field.description && !field.enum && field.const === undefined);
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it('has a unit for each number', () => {
    const numbers = fields.filter(([, { type }]) => type === 'number' || type === 'integer');
    const bare = numbers.filter(
      ([path, { description: said = '' }]) => !units.test(`${path.split('.').pop()} ${said}`),
    );
    expect(bare.map(([path, field]) => `${path}: ${field.description}`)).toEqual([]);
  });

  it('explains each ID', () => {
    const unexplained = isNamed(/(?:\.id|IDs?)$/).filter(([, { description: said = '' }]) => !/\bID/.test(said));
    expect(unexplained.map(([path, field]) => `${path}: ${field.description}`)).toEqual([]);
  });
});
