// The one way this platform makes a Lambda function: Node 24 on arm64, bundled, traced, JSON logs that end.
import type { Duration } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeForCheckov } from './acknowledge.ts';
import { bundledCode } from './bundled-code.ts';
import { ServiceLogs } from './service-logs.ts';

export interface ServiceFunctionProps<Variable extends string> {
  /** What it does, for whoever finds it in the console. */
  readonly description: string;
  /** The file below `lambda/` that exports `handler`. */
  readonly entry: string;
  /**
   * Folders below `lambda/` put beside the bundle, by the name they have there.
   * @default none
   */
  readonly folders?: Readonly<Record<string, string>>;
  /** Names of the variables the code reads, from the `environment.ts` beside its entry. */
  readonly variables: readonly Variable[];
  /** A value for each of them: one missing is a type error. */
  readonly environment: Readonly<Record<NoInfer<Variable>, string>>;
  readonly timeout: Duration;
  readonly logRetentionDays: RetentionDays;
  /** It runs in the private subnets, which reach the outside through NAT. */
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;
}

export class ServiceFunction<Variable extends string = string> extends LambdaFunction {
  /** Its own, made with it. */
  declare readonly role: IRole;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps<Variable>) {
    super(scope, id, {
      description: props.description,
      code: bundledCode(props.entry, props.folders ?? {}),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // CPU comes in proportion (1,769 MB are one vCPU), and most of a cold start is CPU.
      memorySize: 1024,
      timeout: props.timeout,
      environment: {
        ...Object.fromEntries(props.variables.map((name) => [name, props.environment[name]])),
        NODE_OPTIONS: '--enable-source-maps',
      },
      vpc: props.vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      securityGroups: [props.securityGroup],
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      logGroup: new ServiceLogs(scope, `${id}Logs`, props.logRetentionDays),
    });
    acknowledge(
      this,
      'AWS offers the network interface and tracing rights of a function on all resources only.',
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole]',
      'AwsSolutions-IAM5[Resource::*]',
    );
    acknowledgeForCheckov(
      this,
      'RDS Proxy bounds the connections, API Gateway the requests; and in a new account a reservation fails.',
      'CKV_AWS_115',
    );
    acknowledgeForCheckov(
      this,
      'Never invoked and forgotten: callers see the failure, the queue delivers again, the next minute calls again.',
      'CKV_AWS_116',
    );
    acknowledgeForCheckov(this, 'No variable is secret: secrets are read by their ARN.', 'CKV_AWS_173');
  }
}
