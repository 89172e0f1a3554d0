// A stream that is started every minute, to see that one can be: the function that does it, and where it is sent.
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { AnyPrincipal, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';
import { syntheticVariables } from '../../lambda/synthetic/environment.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import type { PlatformAccess } from '../shared/platform-access.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface SyntheticStreamProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly access: PlatformAccess;
}

/**
 * The function is a client of the public API. Agents send to a bucket, as HLS by PUT, through the VPC’s way to S3,
 * which is free; the function looks at what has arrived there, and not at what the platform says.
 */
export class SyntheticStream extends Construct {
  /** Starts each minute that were proved, and that were not. */
  readonly proved: IMetric;
  readonly failed: IMetric;

  constructor(scope: Construct, id: string, { settings, network, access }: SyntheticStreamProps) {
    super(scope, id);
    const ingest = this.#ingest(network);
    const fn = new ServiceFunction(this, 'Synthetic', {
      description: 'Every minute: starts a stream as any client would, and looks whether its pictures arrive',
      entry: 'synthetic/synthetic.lambda.ts',
      variables: syntheticVariables,
      environment: {
        ...access.environmentFor(Stack.of(this), 'synthetic'),
        INGEST_BUCKET: ingest.bucketName,
      },
      // It waits most of the time, and the next call comes after a minute.
      memoryMB: 256,
      timeout: Duration.seconds(59),
      logRetentionDays: settings.logRetentionDays,
      traced: settings.tracing,
      vpc: network.vpc,
      securityGroup: network.databaseClients,
    });
    access.grantTo(fn.role, 'synthetic');
    fn.role.addManagedPolicy(
      new ManagedPolicy(this, 'Look', {
        statements: [new PolicyStatement({ actions: ['s3:ListBucket'], resources: [ingest.bucketArn] })],
      }),
    );
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      // A call that fails is not repeated: the next one sees the same.
      targets: [new LambdaFunction(fn, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
    this.proved = this.#counted(fn, 'Proved');
    this.failed = this.#counted(fn, 'Failed');
  }

  #counted({ logGroup }: ServiceFunction, outcome: 'Proved' | 'Failed'): IMetric {
    const metricNamespace = `${loadMetrics.namespace}/${Stack.of(this).stackName}`;
    const filter = new MetricFilter(this, outcome, {
      logGroup,
      metricNamespace,
      metricName: `Starts${outcome}`,
      filterPattern: FilterPattern.literal(`{ $.event = "synthetic_start_${outcome.toLowerCase()}" }`),
    });
    const label = `starts ${outcome.toLowerCase()}`;
    return filter.metric({ statistic: Stats.SUM, period: Duration.minutes(1), label });
  }

  /** Senders of HLS by PUT sign nothing. So the bucket takes objects from the VPC, from whoever it is, for a day. */
  #ingest({ vpc }: NetworkStack): Bucket {
    const ingest = new Bucket(this, 'Ingest', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // A bucket with objects cannot be deleted, and an empty one costs nothing.
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [{ expiration: Duration.days(1) }],
    });
    ingest.addToResourcePolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [ingest.arnForObjects('*')],
        // With it, S3 does not call the policy public (Amazon S3 user guide, “The meaning of public”).
        conditions: { StringEquals: { 'aws:SourceVpc': vpc.vpcId } },
      }),
    );
    const reason = 'Colour bars, which nobody reads, and which are gone a day later.';
    acknowledge(ingest, reason, 'AwsSolutions-S1');
    acknowledgeForCheckov(ingest, reason, 'CKV_AWS_18', 'CKV_AWS_21', 'CKV_AWS_145');
    return ingest;
  }
}
