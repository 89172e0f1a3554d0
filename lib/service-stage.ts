// One stage of the platform: every stack, in the order they are deployed. Reads like the architecture.
import { Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ApiStack } from './api/api-stack.ts';
import { DashboardStack } from './dashboard/dashboard-stack.ts';
import { EdgeStack } from './dashboard/edge-stack.ts';
import { DatabaseStack } from './database/database-stack.ts';
import { DeliveryStack } from './delivery/delivery-stack.ts';
import { IdentityStack } from './identity/identity-stack.ts';
import { MediaStack } from './media/media-stack.ts';
import { MonitoringStack } from './monitoring/monitoring-stack.ts';
import { NetworkStack } from './network/network-stack.ts';
import { PublishingStack } from './publishing/publishing-stack.ts';
import type { PublisherImage } from './shared/publisher-image.ts';
import { PublicOrigin } from './shared/public-origin.ts';
import type { StageSettings } from './stage-settings.ts';

export interface ServiceStageProps {
  readonly settings: StageSettings;
  readonly image: PublisherImage;
}

/** The whole platform once. Its id is the stage's name and begins the name of each stack. */
export class ServiceStage extends Stage {
  constructor(scope: Construct, id: string, { settings, image }: ServiceStageProps) {
    super(scope, id, {
      env: { region: settings.region, ...(settings.account === null ? {} : { account: settings.account }) },
    });
    const origin = new PublicOrigin(id);

    const network = new NetworkStack(this, 'Network', { settings });
    const database = new DatabaseStack(this, 'Database', { settings, network });
    const media = new MediaStack(this, 'Media', { settings });
    const publishing = new PublishingStack(this, 'Publishing', { settings, network, database, media, origin, image });
    const identity = new IdentityStack(this, 'Identity', { settings, network, database, origin });
    const api = new ApiStack(this, 'Api', { settings, network, access: publishing.access, identity });
    const edge = new EdgeStack(this, 'Edge', { settings });
    const dashboard = new DashboardStack(this, 'Dashboard', { settings, edge, api, media });
    new MonitoringStack(this, 'Monitoring', { settings, database, publishing, api });
    new DeliveryStack(this, 'Delivery', { settings, media, origin, url: dashboard.url });
  }
}
