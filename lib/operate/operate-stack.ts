// The tools of operators in a stage: a function without network access, and the role that may invoke it.
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { operateVariables } from '../../lambda/operate/environment.ts';
import { queueNames } from '../../lambda/ports/command-queue/queues.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import type { PublishingStack } from '../publishing/publishing-stack.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface OperateStackProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly publishing: PublishingStack;
}

export class OperateStack extends Stack {
  /** The function that executes commands of operators. */
  readonly operate: ServiceFunction;

  constructor(scope: Construct, id: string, { settings, network, publishing }: OperateStackProps) {
    super(scope, id);
    // The account's administrators decide who may assume this role. It has one right.
    const role = new Role(this, 'Operator', {
      assumedBy: new AccountRootPrincipal(),
      description: `Operates the stage ${scope.node.id}: npm run operate`,
      maxSessionDuration: Duration.hours(1),
    });
    const { access, queues } = publishing;
    this.operate = new ServiceFunction(this, 'Operate', {
      description: 'Executes and records the commands of operators; only their role may invoke it',
      entry: 'operate/operate.lambda.ts',
      variables: operateVariables,
      environment: {
        ...access.environmentFor(this, 'operate'),
        DEAD_LETTER_URLS: this.toJsonString(
          Object.fromEntries(queueNames.map((name) => [name, queues.deadLettersOf(name).queueUrl])),
        ),
        OPERATOR_ROLE_ARN: role.roleArn,
      },
      timeout: Duration.seconds(60),
      logRetentionDays: settings.logRetentionDays,
      traced: settings.tracing,
      vpc: network.vpc,
      securityGroup: network.databaseClients,
    });
    access.grantTo(this.operate.role, 'operate');
    // Operators may see every dead command. Commands of timers are not sent again, as only Scheduler may send there.
    const deadLettersOf = (names: readonly QueueName[]) => names.map((name) => queues.deadLettersOf(name).queueArn);
    const resent = queueNames.filter((name) => name !== 'timers');
    for (const [action, resources] of [
      ['sqs:ReceiveMessage', deadLettersOf(queueNames)],
      ['sqs:DeleteMessage', deadLettersOf(resent)],
    ] as const)
      this.operate.role.addToPrincipalPolicy(new PolicyStatement({ actions: [action], resources: [...resources] }));
    // The CDK's grant would also allow every version and alias.
    role.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.operate.functionArn] }),
    );
    new CfnOutput(this, 'Function', { value: this.operate.functionName, description: 'Invoked by npm run operate' });
    new CfnOutput(this, 'OperatorRole', { value: role.roleArn, description: 'Assumed by npm run operate' });
  }
}
