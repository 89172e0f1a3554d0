// The templates of the stacks of a stage that stand in AWS.
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { type CheckContext } from '../check.ts';
import { stacksOf } from '../stage-stacks.ts';
import { stackIdOf, type StageTemplates, type Template } from './stage-templates.ts';

/** Stacks in these states have no resources, or are about to have none. */
const absentStates = /^(?:REVIEW_IN_PROGRESS|ROLLBACK_|DELETE_)/;

/** @param regions of the stage's stacks */
export async function standingTemplates(
  stage: string,
  aws: CheckContext['aws'],
  regions: ReadonlySet<string>,
): Promise<StageTemplates> {
  const inRegions = await Promise.all(
    [...regions].map(async (region) => {
      const client = new CloudFormationClient({ ...aws, region });
      const stacks = await stacksOf(stage, { ...aws, region });
      const standing = stacks.filter(({ StackStatus = '' }) => !absentStates.test(StackStatus));
      return Promise.all(standing.map(({ StackName = '' }) => templateOf(client, StackName)));
    }),
  );
  return new Map(inRegions.flat());
}

async function templateOf(client: CloudFormationClient, name: string): Promise<[string, Template]> {
  const { TemplateBody = '{}' } = await client.send(
    new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }),
  );
  return [stackIdOf(name), JSON.parse(TemplateBody)];
}
