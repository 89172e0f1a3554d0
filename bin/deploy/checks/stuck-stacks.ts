// Stacks whose first deployment failed, and that the CDK cannot delete to make them again: they are protected.
import { awsOptions, type Check, found } from '../check.ts';

export const stuckStacks: Check = {
  name: 'Stuck stacks',
  async run({ command, ownStacks }) {
    const stuck = (await ownStacks()).filter(
      ({ StackStatus, EnableTerminationProtection }) =>
        StackStatus?.startsWith('ROLLBACK_') === true && EnableTerminationProtection === true,
    );
    return stuck.map(({ StackName: name = '', StackStatus }) => {
      const options = `--stack-name ${name} ${awsOptions(command)}`;
      const row = { what: `Stack ${name}`, needed: 'complete, or absent', found: `${StackStatus}, protected` };
      return found(row, 'missing', [
        'The stack was never complete, so it has no data. Lift its protection, then deploy again:',
        `$ aws cloudformation update-termination-protection --no-enable-termination-protection ${options}`,
        ...(name.endsWith('-Database') ? unprotectDatabase(options, awsOptions(command)) : []),
      ]);
    });
  },
};

/** RDS refuses to delete a protected instance, so CloudFormation may have left it. */
function unprotectDatabase(ofStack: string, options: string): readonly string[] {
  const instances = `"StackResources[?ResourceType=='AWS::RDS::DBInstance'].PhysicalResourceId"`;
  return [
    'Its database may be protected too. The first of these commands names it:',
    `$ aws cloudformation describe-stack-resources --query ${instances} --output text ${ofStack}`,
    `$ aws rds modify-db-instance --no-deletion-protection --db-instance-identifier DATABASE ${options}`,
  ];
}
