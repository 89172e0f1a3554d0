// The templates of the stacks of a stage that stand in AWS.
import { CloudFormationClient, GetTemplateCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { type CheckContext } from '../check.ts';
import { stacksOf } from '../stage-stacks.ts';
import { stackIdOf, type StageTemplates, type Template } from './stage-templates.ts';

/** Stacks in these states have no resources, or are about to have none. */
const absentStates = /^(?:REVIEW_IN_PROGRESS|ROLLBACK_|DELETE_)/;

export function stands({ StackStatus }: Stack): boolean {
  return !absentStates.test(StackStatus ?? '');
}

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
      const read = async ({ StackName = '' }: Stack): Promise<[string, Template]> => [
        stackIdOf(StackName),
        await templateOf(StackName, client),
      ];
      return Promise.all(stacks.filter(stands).map(read));
    }),
  );
  return new Map(inRegions.flat());
}

/** The template of a stack that stands. */
export async function templateOf(name: string, client: CloudFormationClient): Promise<Template> {
  const { TemplateBody = '{}' } = await client.send(
    new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }),
  );
  return JSON.parse(TemplateBody);
}
