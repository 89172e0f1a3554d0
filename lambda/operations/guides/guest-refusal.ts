// The problem of a request that the policy of a guide link refuses.
import type { RequestRefusal } from '../../domain/programme/guest-requests.ts';
import { ProblemError } from '../problem-codes.ts';

export function guestRefusal({ refusedBy, detail, allowedAt }: RequestRefusal): ProblemError {
  const words = allowedAt ? `${detail} Ask again after ${allowedAt.toISOString()}.` : detail;
  return new ProblemError('item_request_refused', words, { members: { refusedBy, allowedAt } });
}
