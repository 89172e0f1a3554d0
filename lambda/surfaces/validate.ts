// Checks the parts of a request against an operation's schemas and reports every fault at its place.
import type { z } from 'zod';
import type { Operation } from '../operations/operation.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import type { FieldError } from '../operations/problem-codes.ts';

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

/** @throws {ProblemError} validation_failed or unknown_field, with every fault of params, query and body */
export function validateInput(operation: Operation, raw: RawInput): ValidInput {
  const params = operation.params.safeParse(raw.params);
  const query = operation.query.safeParse(raw.query);
  const body = operation.body?.safeParse(raw.body);
  const errors = [...faults(params.error, '/path'), ...faults(query.error, '/query'), ...faults(body?.error, '')];
  if (errors.length > 0) {
    const code = errors.every((error) => error.code === 'unknown_field') ? 'unknown_field' : 'validation_failed';
    throw new ProblemError(code, errors.map((error) => `${error.path}: ${error.detail}`).join(' '), { errors });
  }
  return { params: params.data, query: query.data, body: body?.data };
}

function faults(error: z.ZodError | undefined, prefix: string): FieldError[] {
  return (error?.issues ?? []).flatMap((issue): FieldError[] => {
    const path = prefix + issue.path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    if (issue.code !== 'unrecognized_keys') return [{ path, code: 'validation_failed', detail: sentence(issue.message) }];
    return issue.keys.map((key) =>
      prefix === ''
        ? { path: `${path}/${key}`, code: 'unknown_field', detail: `There is no field ${key} here.` }
        : { path: `${path}/${key}`, code: 'validation_failed', detail: `There is no parameter ${key} here.` },
    );
  });
}

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
