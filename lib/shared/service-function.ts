// The construct for all Lambda functions: Node 24 on arm64, bundled, traced, with JSON logs that expire.
import type { Duration } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SubnetType } from 'aws-cdk-lib/aws-ec2';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeForCheckov, policyOfAWS } from './acknowledge.ts';
import { bundledCode } from './bundled-code.ts';
import { pickVariables } from './pick-variables.ts';
import { ServiceLogs } from './service-logs.ts';

/** The code of a function, and its surroundings. */
export interface ServiceFunctionProps<Variable extends string> {
  /** Purpose of the function, for readers in the AWS console. */
  readonly description: string;
  /** The file in `lambda/` that exports `handler`, or other code whose module `index` exports it. */
  readonly entry: string | Code;
  /**
   * Folders in `lambda/` to add beside the bundle, by their names in the bundle.
   * @default none
   */
  readonly folders?: Readonly<Record<string, string>>;
  /** Names of the variables that the code reads, from the `environment.ts` beside its entry. */
  readonly variables: readonly Variable[];
  /** A value for each of those variables. A missing value is a type error. */
  readonly environment: Readonly<Record<NoInfer<Variable>, string>>;
  /** Time after which a call is ended. */
  readonly timeout: Duration;
  /**
   * Memory in MB. CPU is proportional to it.
   * @default 1024
   */
  readonly memoryMB?: number;
  /** Days for which its logs are kept. */
  readonly logRetentionDays: RetentionDays;
  /**
   * Whether it writes traces to X-Ray.
   * @default true
   */
  readonly traced?: boolean;
  /** The VPC of the function, which runs in the private subnets with egress and reaches the internet through NAT. */
  readonly vpc: IVpc;
  /** The group of its network interface. */
  readonly securityGroup: ISecurityGroup;
}

/** A function with the platform's defaults. Usable alone, in any stack with a VPC. */
export class ServiceFunction<Variable extends string = string> extends LambdaFunction {
  /** The function's own role, created with it. */
  declare readonly role: IRole;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps<Variable>) {
    const { traced = true, memoryMB = 1024 } = props;
    super(scope, id, {
      description: props.description,
      code: typeof props.entry === 'string' ? bundledCode(props.entry, props.folders ?? {}) : props.entry,
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // CPU is proportional to memory (1,769 MB are one vCPU), and most of a cold start is computation.
      memorySize: memoryMB,
      timeout: props.timeout,
      environment: {
        ...pickVariables(props.variables, props.environment),
        NODE_OPTIONS: '--enable-source-maps',
      },
      vpc: props.vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      securityGroups: [props.securityGroup],
      tracing: traced ? Tracing.ACTIVE : Tracing.DISABLED,
      loggingFormat: LoggingFormat.JSON,
      logGroup: new ServiceLogs(scope, `${id}Logs`, props.logRetentionDays),
    });
    acknowledge(
      this,
      'AWS offers the network interface and tracing rights of a function on all resources only.',
      policyOfAWS('AWSLambdaBasicExecutionRole'),
      policyOfAWS('AWSLambdaVPCAccessExecutionRole'),
      ...(traced ? ['AwsSolutions-IAM5[Resource::*]'] : []),
    );
    if (!traced) acknowledgeForCheckov(this, 'The stage keeps no traces, to be cheap.', 'CKV_AWS_50');
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
