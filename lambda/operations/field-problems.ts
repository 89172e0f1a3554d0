// Problems that concern fields of the request body.
import { ProblemError } from './problem-codes.ts';
import type { ProblemCode } from './problem-codes.ts';

/** A fault of one field of the body. */
export function fieldProblem(field: string, detail: string, code: ProblemCode = 'validation_failed'): ProblemError {
  return fieldProblems([[field, detail, code]])!;
}

/** A fault of one field of the body. The code defaults to validation_failed. */
export type FieldFault = readonly [field: string, detail: string, code?: ProblemCode];

/**
 * Combines faults into one problem, so that a client can correct all of them at once. The problem has the code of the
 * first fault.
 * @returns null if there are no faults
 */
export function fieldProblems(faults: readonly FieldFault[]): ProblemError | null {
  const errors = faults.map(([field, detail, code = 'validation_failed' as const]) => ({
    path: `/${field}`,
    code,
    detail,
  }));
  return errors[0] ? new ProblemError(errors[0].code, errors[0].detail, { errors }) : null;
}
