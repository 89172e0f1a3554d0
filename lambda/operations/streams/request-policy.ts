// The policy of viewers' requests, in requests and answers of the API.
// Decision D232.
import * as z from 'zod';
import type { RequestPolicy } from '../../domain/programme/guest-requests.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { id } from '../fields.ts';

const { guestRequestsPerHour: perHour, guestWaitMinutes: minutes } = bounds;

export const requestPolicyInput = z
  .strictObject({
    collectionID: id.describe('Collection that viewers choose from.'),
    perHour: z.int().min(1).max(perHour).default(12).describe('Granted requests of all viewers.'),
    perGuestMinutes: z.int().min(1).max(minutes).default(30).describe('Wait of a viewer after a granted request.'),
    sameItemMinutes: z
      .int()
      .min(0)
      .max(minutes)
      .default(60)
      .describe('An item that has played within this time, or is queued, is refused.'),
  })
  .nullable()
  .describe("Policy for viewers who queue items in the stream's programme. null: they may not.");

export const requestPolicy = z
  .object({
    collectionID: z.string(),
    perHour: z.int32(),
    perGuestMinutes: z.int32(),
    sameItemMinutes: z.int32(),
  })
  .meta({ id: 'RequestPolicy' });

/** @throws {ProblemError} validation_failed */
export async function assertRequests(ctx: Context, requests: RequestPolicy | null): Promise<void> {
  if (requests === null) return;
  if (!(await ctx.data.collections.find(ctx.caller.userID, requests.collectionID)))
    throw fieldProblem('requests/collectionID', 'There is no such collection.');
}
