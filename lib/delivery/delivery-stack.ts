// Tells the stage what the public calls it, once there is a distribution.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { PublicOrigin } from '../shared/public-origin.ts';

export interface DeliveryStackProps {
  readonly origin: PublicOrigin;
  /** The public address, without a trailing slash. */
  readonly url: string;
}

/** Last of a stage: functions that start from now on know their address. */
export class DeliveryStack extends Stack {
  constructor(scope: Construct, id: string, { origin, url }: DeliveryStackProps) {
    super(scope, id);
    origin.publish(this, url);
    new CfnOutput(this, 'SiteUrl', { value: url });
    new CfnOutput(this, 'ApiBaseUrl', { value: `${url}/v1` });
  }
}
