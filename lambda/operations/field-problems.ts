// Problems that are about fields of the body.
import { ProblemError } from './problem-codes.ts';
import type { ProblemCode } from './problem-codes.ts';

/** A fault of one field of the body. */
export function fieldProblem(field: string, detail: string, code: ProblemCode = 'validation_failed'): ProblemError {
  return fieldProblems([[field, detail, code]])!;
}

/** What is wrong with one field of the body. Without a code it is validation_failed. */
export type FieldFault = readonly [field: string, detail: string, code?: ProblemCode];

/** One problem of all these faults, so that a caller can correct them at once. The first one gives it its code. */
export function fieldProblems(faults: readonly FieldFault[]): ProblemError | null {
  const errors = faults.map(([field, detail, code = 'validation_failed' as const]) => ({
    path: `/${field}`,
    code,
    detail,
  }));
  return errors[0] ? new ProblemError(errors[0].code, errors[0].detail, { errors }) : null;
}
