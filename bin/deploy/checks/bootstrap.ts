// Checks the CDK's own bucket and roles, in the stage's region and in that of CloudFront.
import { z } from 'zod';
import { regionsOf } from '../../../lib/shared/stage-regions.ts';
import { type Check, type CheckContext, type Finding, orAbsent, profileOption } from '../check.ts';

/** The value of the stacks' `requiresBootstrapStackVersion` in the cloud assembly. */
export const bootstrapVersion = 6;
const parameterAnswer = z.object({ Parameter: z.object({ Value: z.coerce.number() }) });

export const bootstrap: Check = {
  name: 'CDK bootstrap',
  run(context) {
    return Promise.all(regionsOf(context.command.settings).map((region) => bootstrapIn(region, context)));
  },
};

async function bootstrapIn(region: string, { command, account, ask }: CheckContext): Promise<Finding> {
  const { qualifier, profile } = command;
  const parameter = await orAbsent(
    ask({
      service: 'ssm',
      action: 'GetParameter',
      input: { Name: `/cdk-bootstrap/${qualifier.name}/version` },
      region,
      answer: parameterAnswer,
    }),
    'ParameterNotFound',
  );
  const version = parameter?.Parameter.Value;
  const row = {
    what: `CDK bootstrap in ${region}`,
    needed: `version ${bootstrapVersion}, qualifier ${qualifier.name}`,
    found: version === undefined ? 'none' : `version ${version}`,
  };
  if (version !== undefined && version >= bootstrapVersion) return { ...row, state: 'there', remedy: [] };
  const options = qualifier.isDefault
    ? ''
    : ` --qualifier ${qualifier.name} --toolkit-stack-name CDKToolkit-${qualifier.name}`;
  const remedy = [`$ npx cdk bootstrap aws://${account}/${region}${options}${profileOption(profile)}`];
  return { ...row, state: 'missing', remedy };
}
