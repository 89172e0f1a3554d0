// Publishes the public address of a stage to its parts, once its distribution exists, and keeps the stage's settings.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { MediaStack } from '../media/media-stack.ts';
import { SiteCors } from '../media/site-cors.ts';
import type { PublicOrigin } from '../shared/public-origin.ts';
import { standingParameter } from '../setting-changes.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface DeliveryStackProps {
  /** The name of the stage. */
  readonly stageName: string;
  readonly settings: StageSettings;
  readonly media: MediaStack;
  readonly origin: PublicOrigin;
  /** The public address, without a trailing slash. */
  readonly url: string;
}

/** The last stack of a stage. Functions that start after its deployment know their address. */
export class DeliveryStack extends Stack {
  readonly siteUrl: CfnOutput;
  /** The address of the API: paths such as `/status` follow it. */
  readonly apiBaseUrl: CfnOutput;

  constructor(scope: Construct, id: string, { stageName, settings, media, origin, url }: DeliveryStackProps) {
    super(scope, id);
    origin.announce(this, url);
    // In the last stack: a change that failed half-way is not the one that stands.
    const { name: parameterName, value: stringValue } = standingParameter(stageName, settings);
    new StringParameter(this, 'Settings', { parameterName, stringValue });
    new SiteCors(this, 'SiteCors', {
      bucket: media.uploads,
      siteOrigin: url,
      logRetentionDays: settings.logRetentionDays,
    });
    this.siteUrl = new CfnOutput(this, 'SiteUrl', { value: url });
    this.apiBaseUrl = new CfnOutput(this, 'ApiBaseUrl', { value: `${url}/v1` });
  }
}
