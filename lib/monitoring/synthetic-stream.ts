// A test stream that is started every minute: the function that starts it, and its destination.
// The destination is HLS by PUT into a bucket: an RTMP server that always runs would cost 11 dollars a month.
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
 * The function is a client of the public API. Agents send HLS by PUT to a bucket, through the VPC's free endpoint for
 * S3. The function checks the media in the bucket, not the state that the platform reports.
 */
export class SyntheticStream extends Construct {
  /** Number of starts each minute that succeeded, and that failed. */
  readonly proved: IMetric;
  readonly failed: IMetric;

  constructor(scope: Construct, id: string, { settings, network, access }: SyntheticStreamProps) {
    super(scope, id);
    const ingest = this.#ingest(network);
    const fn = new ServiceFunction(this, 'Synthetic', {
      description: 'Starts a stream every minute as a client, and checks that its pictures arrive',
      entry: 'synthetic/synthetic.lambda.ts',
      variables: syntheticVariables,
      environment: {
        ...access.environmentFor(Stack.of(this), 'synthetic'),
        INGEST_BUCKET: ingest.bucketName,
      },
      // The function mostly waits, and the next call comes a minute later.
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
      // A failed call is not repeated: the next call finds the same fault.
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

  /**
   * HLS requests by PUT are not signed. So the bucket accepts all objects from the VPC, and keeps them for a day. Its
   * name is CloudFormation's, and unknown to users: one who learned it could write there, but not forge a start, as
   * each start has its own key.
   */
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
        // With this condition, S3 does not classify the policy as public (Amazon S3 user guide, “The meaning of
        // public”).
        conditions: { StringEquals: { 'aws:SourceVpc': vpc.vpcId } },
      }),
    );
    const reason = 'Colour bars, which nobody reads, and which are gone a day later.';
    acknowledge(ingest, reason, 'AwsSolutions-S1');
    acknowledgeForCheckov(ingest, reason, 'CKV_AWS_18', 'CKV_AWS_21', 'CKV_AWS_145');
    return ingest;
  }
}
