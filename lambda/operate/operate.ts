// Handles a call of the tool: proves the caller and the role, and runs the command.
import * as z from 'zod';
import { carryOut } from './carry-out.ts';
import type { OperateOptions, Operator, Reply } from './carry-out.ts';
import { OperatorRefusal } from './command.ts';
import { callerProof, isSessionOf, proveCaller } from './prove-caller.ts';
import { operatorRequest } from './read-request.ts';
import type { OperatorRequest } from './read-request.ts';

export interface FunctionOptions extends OperateOptions {
  readonly functionName: string;
  readonly region: string;
  /** The role whose sessions may operate the stage. */
  readonly operatorRoleARN: string;
  readonly send?: typeof fetch;
}

export const operateCall = z.strictObject({
  request: operatorRequest,
  proofs: z.strictObject({
    /** A proof of the person at the tool, by their own credentials. */
    person: callerProof,
    /** A proof of the session of the operators' role that invokes the function. */
    session: callerProof,
  }),
});
export type OperateCall = z.output<typeof operateCall>;

/** @throws if the call is not from the tool, or by our fault */
export function createOperate(options: FunctionOptions): (call: unknown) => Promise<Reply> {
  return async (event) => {
    const call = operateCall.parse(event);
    return carryOut(options, call.request, await operatorOf(options, call));
  };
}

/** A caller without a valid proof is recorded as unproven, with the request. */
async function operatorOf(options: FunctionOptions, { request, proofs }: OperateCall): Promise<Operator> {
  const unknown = { name: 'not proven', via: 'not proven' };
  try {
    const name = await proven(options, request, proofs.person);
    const via = await proven(options, request, proofs.session);
    if (isSessionOf(via, options.operatorRoleARN)) return { name, via };
    return { name, via, refusal: `${via} is no session of the operators’ role of this stage.` };
  } catch (error) {
    if (error instanceof OperatorRefusal) return { ...unknown, refusal: error.message };
    throw error;
  }
}

function proven(
  { functionName, region, send }: FunctionOptions,
  request: OperatorRequest,
  proof: OperateCall['proofs']['person'],
): Promise<string> {
  return proveCaller({ functionName, region, request }, proof, send);
}
