// Messages for faults of inputs, in place of those of zod.
// They name the expected value, so that the caller knows what to send.
import type * as z from 'zod';

/** An issue as zod passes it to an error map, with the input and the schema that refused it. */
type Issue = z.core.$ZodRawIssue;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a time',
  undefined: 'nothing',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time in ISO 8601 with its zone, such as 2030-01-31T18:00:00Z or 2030-01-31T18:00:00+01:00',
  safeint: 'a whole number',
  int32: 'a whole number',
  url: 'an absolute URL, such as https://example.com/file.mp4',
  email: 'an e-mail address',
};

/** Describes a fault in one or two sentences, as an error map of zod. A schema with its own message keeps it. */
export function wordFault(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_value':
    case 'invalid_union':
      return refusal(issue);
    case 'invalid_format':
      return formats[issue.format]
        ? `Must be ${formats[issue.format]}.`
        : `Must match the pattern ${issue.pattern ?? issue.format}.`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'Must not be empty.'
        : bound('at least', issue.origin, issue.minimum);
    case 'too_big':
      return bound('at most', issue.origin, issue.maximum);
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}.`;
    case 'unrecognized_keys':
      return knownKeys(issue);
    default:
      return undefined;
  }
}

/** Describes a fault of a query parameter. All of them arrive as text, so “not text” would not help. */
export function wordQueryFault(issue: Issue): string | undefined {
  return wordFault(issue)?.replace(', not text.', '.');
}

/**
 * Describes why the database cannot store a text. All texts are checked here, so schemas need not check them.
 * @returns null for a text that can be stored
 */
export function faultOfText(text: string): string | null {
  if (text.includes('\u0000')) return 'Must not contain the character U+0000.';
  return text.isWellFormed() ? null : 'Must be Unicode text: it contains half of a surrogate pair.';
}

/** A pattern of the texts that `faultOfText` accepts, as far as JSON Schema can express it. */
export const storableTextPattern = String.raw`^[^\u0000]*$`;

function refusal(issue: Issue): string {
  const expected = expectationOf(issue);
  const input = inputOf(issue);
  if (input === undefined) return `Is missing. Send ${expected}.`;
  const given = typeNameOf(input);
  const isOfType =
    (issue.code !== 'invalid_type' && given === 'text') ||
    (expected === 'a whole number' && given === 'a number') ||
    expected === given;
  return isOfType ? `Must be ${expected}.` : `Must be ${expected}, not ${given}.`;
}

function typeNameOf(input: unknown): string | undefined {
  if (input === null) return 'null';
  return Array.isArray(input) ? 'a list' : typeNames[typeof input];
}

function expectationOf(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return formats[formatOf(issue.inst)] ?? typeNames[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return choice(issue.values);
  if (issue.code !== 'invalid_union') return '';
  const { options } = issue as { options?: readonly unknown[] };
  if (options) return choice(options);
  const expectations = issue.errors.flat().map((inner) => expectationOf(inner as Issue));
  return [...new Set(expectations)].filter(Boolean).join(' or ');
}

/** The faulty input. In a union with a discriminator, it is the member that distinguishes the options. */
function inputOf(issue: Issue): unknown {
  const { discriminator } = issue as { discriminator?: string };
  return discriminator === undefined ? issue.input : (issue.input as Record<string, unknown>)[discriminator];
}

function formatOf(schema: unknown): string {
  const { format } = definitionOf(schema);
  return typeof format === 'string' ? format : '';
}

function choice(values: readonly unknown[]): string {
  const shown = values.map(String).join(', ');
  return values.length === 1 ? shown : `one of ${shown}`;
}

function bound(comparison: string, origin: string, limit: number | bigint): string {
  if (origin === 'string') return `Must have ${comparison} ${limit} characters.`;
  return origin === 'array' ? `Must have ${comparison} ${limit} entries.` : `Must be ${comparison} ${limit}.`;
}

function knownKeys(issue: Issue): string {
  const keys = Object.keys(definitionOf(issue.inst).shape ?? {});
  return keys.length === 0
    ? 'Leave it out: no fields are allowed here.'
    : `Leave it out. Allowed here: ${keys.join(', ')}.`;
}

function definitionOf(schema: unknown): { readonly format?: unknown; readonly shape?: object } {
  return (schema as { _zod: { def: ReturnType<typeof definitionOf> } } | undefined)?._zod.def ?? {};
}
