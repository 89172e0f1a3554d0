// The construct for all log groups: deleted with its stack, with the retention of the stage.
import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledgeForCheckov } from './acknowledge.ts';

export class ServiceLogs extends LogGroup {
  constructor(scope: Construct, id: string, retention: RetentionDays) {
    super(scope, id, { retention, removalPolicy: RemovalPolicy.DESTROY });
    acknowledgeForCheckov(
      this,
      'Encrypted with AWS’ own key. Logs hold no secrets, and a key of ours would cost for each line.',
      'CKV_AWS_158',
    );
  }
}
