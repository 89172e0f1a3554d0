// Access logs in a bucket that a company gives: where they lie, and whose its policy is.
import { Stage } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

/** @param source whose requests are logged */
export function logPrefix(scope: Construct, source: string): string {
  return `${Stage.of(scope)?.node.id}/${source}/`;
}

/** @param bucket whose logs go to a bucket that somebody else has the policy of */
export function acknowledgeGivenLogs(bucket: IConstruct): void {
  const id = 'Annotation::@aws-cdk/aws-s3:accessLogsPolicyNotAdded';
  acknowledge(bucket, 'Whoever gives a bucket for logs has its policy let S3 write there.', id);
}
