// Allows only the pages of the site to send uploads to the bucket and to show its objects.
import { Stack } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type Bucket, HttpMethods } from 'aws-cdk-lib/aws-s3';
import {
  AwsCustomResource,
  AwsCustomResourcePolicy,
  type AwsSdkCall,
  PhysicalResourceId,
} from 'aws-cdk-lib/custom-resources';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeCdkFunction, policyOfAWS } from '../shared/acknowledge.ts';
import { ServiceLogs } from '../shared/service-logs.ts';

export interface SiteCorsProps {
  readonly bucket: Bucket;
  /** HTTPS origin of the site, without a path. */
  readonly siteOrigin: string;
  readonly logRetentionDays: RetentionDays;
}

/** The rule is created after the bucket, because the bucket exists before the distribution has a name. */
export class SiteCors extends Construct {
  constructor(scope: Construct, id: string, { bucket, siteOrigin, logRetentionDays }: SiteCorsProps) {
    super(scope, id);
    const rule = {
      AllowedOrigins: [siteOrigin],
      AllowedMethods: [HttpMethods.PUT, HttpMethods.GET, HttpMethods.HEAD],
      AllowedHeaders: ['*'],
      ExposeHeaders: ['ETag'],
      MaxAgeSeconds: 3600,
    };
    const put: AwsSdkCall = {
      service: 'S3',
      action: 'putBucketCors',
      parameters: { Bucket: bucket.bucketName, CORSConfiguration: { CORSRules: [rule] } },
      physicalResourceId: PhysicalResourceId.of('cors'),
    };
    new AwsCustomResource(this, 'Rule', {
      onUpdate: put,
      onDelete: {
        service: 'S3',
        action: 'deleteBucketCors',
        parameters: { Bucket: bucket.bucketName },
        ignoreErrorCodesMatching: 'NoSuchBucket',
      },
      policy: AwsCustomResourcePolicy.fromStatements([
        new PolicyStatement({ actions: ['s3:PutBucketCORS'], resources: [bucket.bucketArn] }),
      ]),
      logGroup: new ServiceLogs(this, 'Logs', logRetentionDays),
    });
    const provider = Stack.of(this).node.findChild(
      `AWS${AwsCustomResource.PROVIDER_FUNCTION_UUID.replaceAll('-', '')}`,
    );
    acknowledge(
      provider,
      'The CDK’s own function. The policy that AWS made for this purpose: to write its logs.',
      policyOfAWS('AWSLambdaBasicExecutionRole'),
    );
    acknowledgeCdkFunction(provider);
  }
}
