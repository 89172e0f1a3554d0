// What the public meets first: today API Gateway's own address, and the place for the CloudFront distribution in front of it.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { PublicOrigin } from '../shared/public-origin.ts';

export interface DeliveryStackProps {
  readonly origin: PublicOrigin;
  /** Address of the API without a trailing slash. */
  readonly apiUrl: string;
}

/** Publishes the stage's address. The stack is here before the distribution, so that the parameter never moves from one stack to another. */
export class DeliveryStack extends Stack {
  constructor(scope: Construct, id: string, { origin, apiUrl }: DeliveryStackProps) {
    super(scope, id);
    origin.publish(this, apiUrl);
    new CfnOutput(this, 'ApiBaseUrl', { value: `${apiUrl}/v1` });
  }
}
