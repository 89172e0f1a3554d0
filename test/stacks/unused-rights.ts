// Rights of roles that no call has used, each with the reason to keep it.
import type { AwsCall, SimulatedAccount } from '../support/iam.ts';
import type { Statement } from '../support/policy-engine.ts';

/** Reasons for patterns of ROLE ACTION RESOURCE. The first match applies. */
const reasons: readonly (readonly [right: RegExp, reason: string])[] = [
  [/ xray:/, 'Lambda itself traces, with the role of the function'],
  [/ExecutionRole\w* (?:ecr|logs):/, 'ECS itself pulls the image and writes the logs of a task'],
  [/MachineRole\w* /, 'the ECS agent of a machine'],
  [/DrainECSHook|LifecycleHook/, 'the CDK’s own, to drain machines'],
  [/^Network\/VpcRejectedIAMRole\w* logs:/, 'the VPC writes its flow logs'],
  [
    /MediaWorkers\w* (?:ecs:UpdateTaskProtection|ssm:GetParameter)/,
    'once a minute, and media workers of tests live shorter',
  ],
  [/ rds-db:connect \S+:dbuser:(?!prx-)/, 'while a deployment turns the proxy on or off, clients use the instance'],
  [/^Publishing\/Reconcile\w* rds-db:connect/, 'once a day, and the deploy test takes minutes'],
  [
    /^Api\/Platforms\w* (?:rds-db:connect|kms:Decrypt \S+SealingKey|secretsmanager:GetSecretValue|ssm:GetParameter)/,
    'the deploy test connects no channel',
  ],
  [/^Api\/Platforms\w* s3:ListBucket/, 'a thumbnail is missing only where it was deleted meanwhile'],
  [/^Monitoring\/SyntheticStream\w* (?:rds-db:connect|ssm:GetParameter)/, 'the deploy test has no stack Monitoring'],
  [/^Operate\/Operate\w* rds-db:connect/, 'the deploy test sends no command of operators'],
  [/^Monitoring\/DriftCheckReader\w* /, 'CloudFormation compares with them, once a week'],
  [/^Database\/LogRetention/, 'the CDK’s own function, which sets the days of Postgres’ log'],
  [/^Network\/CustomVpcRestrictDefaultSG/, 'the CDK’s own function, which empties the default security group'],
  [
    /TriggerCustomResourceProvider\w* lambda:InvokeFunction \S+:\*$/,
    'granted by the CDK’s trigger beside the version it calls',
  ],
  [/ ses:SendEmail \S+:configuration-set\//, 'SES asks for that of the identity as well, which no request names'],
  [
    /QueueProcessingTaskDefTaskRole\w* sqs:(?:ChangeMessageVisibility|GetQueueUrl)/,
    'granted by the CDK’s queue pattern',
  ],
  [
    /(?:TimersJob|Webhooks|Platforms)ServiceRole\w* sqs:(?:ChangeMessageVisibility|GetQueueUrl)/,
    'granted by the CDK’s event source',
  ],
  [/CustomCDKBucketDeployment|^Dashboard\//, 'the CDK’s own function, which copies the page into its bucket'],
];

export function unusedRights(account: SimulatedAccount, calls: readonly AwsCall[]): readonly string[] {
  const lines = account.roleIDs.flatMap((role) => {
    const used = calls
      .filter(({ caller }) => caller === role)
      .map((call) => ({ ...call, arn: account.arnOf(call.resource) }));
    return account
      .policiesOf(role)
      .flatMap(({ policy }) => policy.Statement)
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(rightsOf)
      .filter(
        ({ action, resource }) => !used.some((call) => matches(action, call.action) && matches(resource, call.arn)),
      )
      .map(({ action, resource }) => `${role} ${action} ${resource}`);
  });
  return [...new Set(lines)].sort().map((line) => `${line}: ${reasons.find(([right]) => right.test(line))?.[1] ?? ''}`);
}

function rightsOf({ Action, Resource = '*' }: Statement) {
  return [Action].flat().flatMap((action) => [Resource].flat().map((resource) => ({ action, resource })));
}

/** Matches with `*` and `?` as policies do. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i').test(text);
}
