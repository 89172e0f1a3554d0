// Where a stage's access logs lie in a bucket that it shares with others.
import { Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** @param source whose requests are logged */
export function logPrefix(scope: Construct, source: string): string {
  return `${Stage.of(scope)?.node.id}/${source}/`;
}
