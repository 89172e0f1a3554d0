// The prefix of access logs in a bucket that a company provides, and the findings that this causes.
import { Stage } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/** @param source the resource whose requests are logged */
export function logPrefix(scope: Construct, source: string): string {
  return `${Stage.of(scope)?.node.id}/${source}/`;
}

/** @param bucket a bucket whose access logs go to a bucket with a policy outside this app */
export function acknowledgeGivenLogs(bucket: IConstruct): void {
  const id = 'Annotation::@aws-cdk/aws-s3:accessLogsPolicyNotAdded';
  acknowledge(bucket, 'Whoever gives a bucket for logs has its policy let S3 write there.', id);
}
