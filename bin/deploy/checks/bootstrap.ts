// The CDK's own bucket and roles, in the stage's region and in that of what CloudFront uses.
import { readParameter } from '../../../lambda/ports/aws/call-aws.ts';
import { regionsOf } from '../../../lib/shared/stage-regions.ts';
import { absentIf, type Check, type CheckContext, found, type Finding, profileOption } from '../check.ts';

/** The stacks' `requiresBootstrapStackVersion` in the cloud assembly. */
export const bootstrapVersion = 6;

export const bootstrap: Check = {
  name: 'CDK bootstrap',
  run: (context) => Promise.all(regionsOf(context.command.settings).map((region) => bootstrapIn(region, context))),
};

async function bootstrapIn(region: string, { command, account, aws }: CheckContext): Promise<Finding> {
  const { qualifier, profile } = command;
  const place = { region, credentials: await aws.credentials() };
  const name = `/cdk-bootstrap/${qualifier.name}/version`;
  const version = await readParameter(name, place).catch(absentIf('ParameterNotFound'));
  const row = {
    what: `CDK bootstrap in ${region}`,
    needed: `version ${bootstrapVersion}, qualifier ${qualifier.name}`,
    found: version === null ? 'none' : `version ${version}`,
  };
  const options = qualifier.isDefault
    ? ''
    : ` --qualifier ${qualifier.name} --toolkit-stack-name CDKToolkit-${qualifier.name}`;
  const remedy = [`$ npx cdk bootstrap aws://${account}/${region}${options}${profileOption(profile)}`];
  return found(row, Number(version) >= bootstrapVersion ? 'there' : 'missing', remedy);
}
