// Finds protected stacks whose first deployment failed, so that the CDK cannot delete them.
import { awsOptions, type Check, type Finding } from '../check.ts';
import { stacksInRegion } from '../standing-stage.ts';

export const failedStacks: Check = {
  name: 'Failed stacks',
  async run(context) {
    const { command } = context;
    const ofStage = new RegExp(`^${command.stage}-[A-Z]`);
    const stuck = (await stacksInRegion(context)).filter(
      ({ name, status, isProtected }) => ofStage.test(name) && status.startsWith('ROLLBACK_') && isProtected,
    );
    return stuck.map(({ name, status }): Finding => {
      const options = `--stack-name ${name} ${awsOptions(command)}`;
      return {
        what: `Stack ${name}`,
        needed: 'made, or not there',
        found: `${status}, protected`,
        state: 'missing',
        remedy: [
          'It was never whole, so nothing is lost with it. Lift its protection, then deploy again:',
          `$ aws cloudformation update-termination-protection --no-enable-termination-protection ${options}`,
          ...(name.endsWith('-Database') ? unprotectDatabase(options, awsOptions(command)) : []),
        ],
      };
    });
  },
};

/** RDS refuses to delete a protected instance, so CloudFormation may have left it. */
function unprotectDatabase(ofStack: string, options: string): readonly string[] {
  const instances = `"StackResources[?ResourceType=='AWS::RDS::DBInstance'].PhysicalResourceId"`;
  return [
    'A database that it has left is protected as well. The first of these commands names it:',
    `$ aws cloudformation describe-stack-resources --query ${instances} --output text ${ofStack}`,
    `$ aws rds modify-db-instance --no-deletion-protection --db-instance-identifier DATABASE ${options}`,
  ];
}
