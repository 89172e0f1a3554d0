// The stacks of a stage that stand in a region.
import { CloudFormationClient, paginateDescribeStacks, type Stack } from '@aws-sdk/client-cloudformation';
import { type CheckContext, itemsOf } from './check.ts';

/** The stacks of the stage in its region. Their names begin with the stage's, and then with a capital. */
export async function stacksOf(stage: string, aws: CheckContext['aws']): Promise<readonly Stack[]> {
  const pages = paginateDescribeStacks({ client: new CloudFormationClient(aws) }, {});
  const stacks = await itemsOf(pages, ({ Stacks }) => Stacks);
  const ofStage = new RegExp(`^${stage}-[A-Z]`);
  return stacks.filter(({ StackName = '' }) => ofStage.test(StackName));
}
