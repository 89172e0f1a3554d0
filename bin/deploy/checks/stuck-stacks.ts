// Stacks whose first deployment failed, and that the CDK cannot delete: they or their machines are protected.
import type { Stack } from '@aws-sdk/client-cloudformation';
import { awsOptions, type Check, type CheckContext, found, type Finding } from '../check.ts';

export const stuckStacks: Check = {
  name: 'Stuck stacks',
  async run({ command, ownStacks }) {
    const stacks = await ownStacks();
    const stuck = stacks.filter(
      ({ StackStatus, EnableTerminationProtection }) =>
        StackStatus?.startsWith('ROLLBACK_') === true && EnableTerminationProtection === true,
    );
    const withMachines = stacks.filter(
      ({ StackName, StackStatus = '' }) =>
        StackName?.endsWith('-Publishing') && /^(?:ROLLBACK|DELETE)_(?:FAILED|IN_PROGRESS)$/.test(StackStatus),
    );
    return [
      ...stuck.map((stack) => protectedStack(stack, command)),
      ...withMachines.map((stack) => protectedMachines(stack, command)),
    ];
  },
};

function protectedStack({ StackName: name = '', StackStatus }: Stack, command: CheckContext['command']): Finding {
  const options = `--stack-name ${name} ${awsOptions(command)}`;
  const row = { what: `Stack ${name}`, needed: 'complete, or absent', found: `${StackStatus}, protected` };
  return found(row, 'missing', [
    'The stack was never complete, so it has no data. Lift its protection, then deploy again:',
    `$ aws cloudformation update-termination-protection --no-enable-termination-protection ${options}`,
    ...(name.endsWith('-Database') ? unprotectDatabase(options, awsOptions(command)) : []),
  ]);
}

/**
 * ECS protects machines with tasks from scale-in. The flags outlive the capacity provider that set them, so
 * CloudFormation waits in vain for the group to become empty (aws/aws-cdk#18179, aws/containers-roadmap#2862).
 */
function protectedMachines({ StackName: name, StackStatus }: Stack, command: CheckContext['command']): Finding {
  const options = `--stack-name ${name} ${awsOptions(command)}`;
  const groups = `"StackResources[?ResourceType=='AWS::AutoScaling::AutoScalingGroup'].PhysicalResourceId"`;
  const row = { what: `Machines of ${name}`, needed: 'gone', found: `${StackStatus}, maybe protected from scale-in` };
  return found(row, 'missing', [
    'If the stack stands still at its Auto Scaling group, delete the group. The first of these commands names it:',
    `$ aws cloudformation describe-stack-resources --query ${groups} --output text ${options}`,
    `$ aws autoscaling delete-auto-scaling-group --force-delete --auto-scaling-group-name GROUP ${awsOptions(command)}`,
    'After `DELETE_FAILED` or `ROLLBACK_FAILED`, also:',
    `$ aws cloudformation delete-stack ${options}`,
  ]);
}

/** RDS refuses to delete a protected instance, so CloudFormation may have left it. */
function unprotectDatabase(ofStack: string, options: string): readonly string[] {
  const instances = `"StackResources[?ResourceType=='AWS::RDS::DBInstance'].PhysicalResourceId"`;
  return [
    'Its database may be protected too. The first of these commands names it:',
    `$ aws cloudformation describe-stack-resources --query ${instances} --output text ${ofStack}`,
    `$ aws rds modify-db-instance --no-deletion-protection --db-instance-identifier DATABASE ${options}`,
  ];
}
