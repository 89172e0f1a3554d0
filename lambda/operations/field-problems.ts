// Problems that concern fields of the request.
import { ProblemError } from './problem-codes.ts';
import type { ProblemCode } from './problem-codes.ts';

/** A fault of one field of the body, or of `query/NAME` or `path/NAME`. The code defaults to validation_failed. */
export type FieldFault = readonly [field: string, detail: string, code?: ProblemCode];

/** The problem of one fault. */
export function fieldProblem(...fault: FieldFault): ProblemError {
  const [, detail, code = 'validation_failed'] = fault;
  return problemOf([fault], code, detail);
}

/**
 * Refuses faults by one problem, so that a client can correct all of them at once.
 * @param code of the problem; by default that of the first fault
 * @throws {ProblemError} if there are faults
 */
export function assertNoFaults(faults: readonly FieldFault[], code = faults[0]?.[2]): void {
  const [first] = faults;
  if (first) throw problemOf(faults, code ?? 'validation_failed', first[1]);
}

function problemOf(faults: readonly FieldFault[], code: ProblemCode, detail: string): ProblemError {
  const errors = faults.map(([field, own, ownCode = 'validation_failed' as const]) => ({
    path: `/${field}`,
    code: ownCode,
    detail: own,
  }));
  return new ProblemError(code, detail, { errors });
}
