// Checks whether the stage exists already: then its usage of quotas is its own, and its zones are fixed.
import { z } from 'zod';
import { Unanswered } from './ask-aws.ts';
import { type CheckContext, orWhyNot, xmlList } from './check.ts';

const tag = z.object({ key: z.string(), value: z.string().catch('') });
const vpcsAnswer = z.object({
  DescribeVpcsResponse: z.object({ vpcSet: xmlList('item', z.object({ tagSet: xmlList('item', tag) })) }),
});

const setByAws: ReadonlySet<string> = new Set(['aws:cloudformation:stack-name', 'aws:autoscaling:groupName']);

export const tags = xmlList('item', tag);

/**
 * Checks tags that users cannot set: CloudFormation's tags on its resources, and the tag of an Auto Scaling group on
 * its machines. CloudFormation begins the name of the group with that of the stack.
 */
export function isOfStage(stage: string, tagSet: readonly z.infer<typeof tag>[]): boolean {
  // The names of stages have hyphens and no capitals, and those of their stacks begin with a capital: ada-two-Network.
  const stack = new RegExp(`^${stage}-[A-Z]`);
  return tagSet.some(({ key, value }) => setByAws.has(key) && stack.test(value));
}

/** @throws {Unanswered} */
export async function vpcsInRegion({ command, ask }: CheckContext): Promise<{
  readonly isStanding: boolean;
  readonly ofOthers: number;
}> {
  const { DescribeVpcsResponse: answer } = await ask({ service: 'ec2', action: 'DescribeVpcs', answer: vpcsAnswer });
  const own = answer.vpcSet.filter(({ tagSet }) => isOfStage(command.stage, tagSet));
  return { isStanding: own.length > 0, ofOthers: answer.vpcSet.length - own.length };
}

const stacksAnswer = z.object({
  DescribeStacksResponse: z.object({
    DescribeStacksResult: z.object({
      Stacks: xmlList(
        'member',
        z.object({
          StackName: z.string(),
          StackStatus: z.string(),
          EnableTerminationProtection: z.string().optional(),
        }),
      ),
      NextToken: z.string().optional(),
    }),
  }),
});
const pagesMax = 50;

export interface StackInRegion {
  readonly name: string;
  /** CloudFormation's status, such as ROLLBACK_COMPLETE: its first deployment failed and was rolled back. */
  readonly status: string;
  readonly isProtected: boolean;
}

/** @throws {Unanswered} */
export async function stacksInRegion({ ask }: CheckContext): Promise<readonly StackInRegion[]> {
  const stacks: StackInRegion[] = [];
  let token: string | undefined;
  for (let page = 1; page <= pagesMax; page++) {
    const { DescribeStacksResponse: answer } = await ask({
      service: 'cloudformation',
      action: 'DescribeStacks',
      input: token === undefined ? {} : { NextToken: token },
      answer: stacksAnswer,
    });
    for (const { StackName, StackStatus, EnableTerminationProtection } of answer.DescribeStacksResult.Stacks)
      stacks.push({ name: StackName, status: StackStatus, isProtected: EnableTerminationProtection === 'true' });
    token = answer.DescribeStacksResult.NextToken || undefined;
    if (token === undefined) break;
  }
  return stacks;
}

/** @returns null if AWS did not answer */
export async function stageStands(context: CheckContext): Promise<boolean | null> {
  const vpcs = await orWhyNot(vpcsInRegion(context));
  return vpcs instanceof Unanswered ? null : vpcs.isStanding;
}
