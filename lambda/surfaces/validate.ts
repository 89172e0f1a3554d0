// Checks the parts of a request with the schemas of its operation, and reports every fault with its place.
import type * as z from 'zod';
import type { Operation } from '../operations/operation.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import type { FieldError } from '../operations/problem-codes.ts';
import { faultOfText, wordFault, wordQueryFault } from './fault-wording.ts';

export interface RawInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export interface ValidInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The most faults that an answer lists, to keep it small. */
const maxListedFaults = 100;
/** The most faults that `detail` names, for people who read logs. */
const maxDetailedFaults = 3;
/**
 * The depth to which texts are checked. No schema of this API is deeper, so deeper values are refused by their schema.
 */
const maxDepth = 16;

/**
 * Validates the input of an operation.
 * @param found faults that the surface itself has found
 * @param pathOf translates a pointer into a REST request to a pointer into the input of the surface
 * @throws {ProblemError} validation_failed or unknown_field, with every fault of params, query and body
 */
export function validateInput(
  operation: Operation,
  raw: RawInput,
  found: readonly FieldError[],
  pathOf = (pointer: string) => pointer,
): ValidInput {
  const params = operation.params.safeParse(raw.params, { error: wordFault });
  const query = operation.query.safeParse(raw.query, { error: wordQueryFault });
  const body = operation.body?.safeParse(raw.body, { error: wordFault });
  const faults = [
    ...found,
    ...faultsOf(params.error, '/path'),
    ...textFaults(raw.params, '/path', maxDepth),
    ...faultsOf(query.error, '/query'),
    ...textFaults(raw.query, '/query', maxDepth),
    ...faultsOf(body?.error, ''),
    ...(operation.body ? textFaults(raw.body, '', maxDepth) : []),
  ];
  if (faults.length > 0) throw refusalOf(faults.map((fault) => ({ ...fault, path: pathOf(fault.path) })));
  return { params: params.data, query: query.data, body: body?.data };
}

/** The form of an Idempotency-Key, as a pattern of JSON Schema. */
export const idempotencyKeyPattern = '^[!-~]{1,255}$';

/**
 * The faults of an Idempotency-Key.
 * @param path the place of the key in the input of the surface
 */
export function faultsOfKey(key: unknown, path: string): FieldError[] {
  if (key == null || (typeof key === 'string' && new RegExp(idempotencyKeyPattern).test(key))) return [];
  return [{ path, code: 'validation_failed', detail: 'Must have 1 to 255 visible ASCII characters.' }];
}

function refusalOf(faults: readonly FieldError[]): ProblemError {
  const code = faults.every((fault) => fault.code === 'unknown_field') ? 'unknown_field' : 'validation_failed';
  const sentences = faults
    .slice(0, maxDetailedFaults)
    .map(({ path, detail }) => `${shortened(path) || 'The body'}: ${detail}`);
  const unsaid = faults.length - sentences.length;
  const isCut = faults.length > maxListedFaults;
  if (unsaid > 0) sentences.push(`And ${unsaid} more${isCut ? `; errors lists the first ${maxListedFaults}` : ''}.`);
  return new ProblemError(code, sentences.join(' '), { errors: faults.slice(0, maxListedFaults) });
}

function faultsOf(error: z.ZodError | undefined, prefix: string): FieldError[] {
  return (error?.issues ?? []).flatMap((issue): FieldError[] => {
    const path = prefix + issue.path.map((part) => pointerTo(String(part))).join('');
    if (issue.code !== 'unrecognized_keys')
      return [{ path, code: 'validation_failed', detail: sentence(issue.message) }];
    const isInBody = prefix === '';
    return issue.keys.map((key) => ({
      path: path + pointerTo(key),
      code: isInBody ? 'unknown_field' : 'validation_failed',
      detail: `There is no ${isInBody ? 'field' : 'parameter'} ${shortened(key)} here. ${issue.message}`,
    }));
  });
}

/** The faults of all texts that the database cannot store. */
function textFaults(value: unknown, path: string, depth: number): FieldError[] {
  if (typeof value === 'string') {
    const detail = faultOfText(value);
    return detail === null ? [] : [{ path, code: 'validation_failed', detail }];
  }
  if (value === null || typeof value !== 'object' || depth === 0) return [];
  const members = Object.entries(value);
  // Surfaces receive the fields of an input in different orders.
  if (!Array.isArray(value)) members.sort(([one], [other]) => (one < other ? -1 : 1));
  return members.flatMap(([key, member]) => textFaults(member, path + pointerTo(key), depth - 1));
}

/** A name as a part of a JSON pointer (RFC 6901, section 3). */
function pointerTo(member: string): string {
  return `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
