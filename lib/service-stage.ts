// One stage of the platform: all of its stacks, in the order in which they are deployed.
// Decision D106.
import { BOOTSTRAP_QUALIFIER_CONTEXT, PermissionsBoundary, Stage, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ApiStack } from './api/api-stack.ts';
import { WebStack } from './web/web-stack.ts';
import { EdgeStack } from './web/edge-stack.ts';
import { DatabaseStack } from './database/database-stack.ts';
import { DeliveryStack } from './delivery/delivery-stack.ts';
import { IdentityStack } from './identity/identity-stack.ts';
import { MediaStack } from './media/media-stack.ts';
import { MonitoringStack } from './monitoring/monitoring-stack.ts';
import { NetworkStack } from './network/network-stack.ts';
import { OperateStack } from './operate/operate-stack.ts';
import { RecoveryStack } from './recovery/recovery-stack.ts';
import { PublishingStack } from './publishing/publishing-stack.ts';
import type { PublisherImage } from './shared/publisher-image.ts';
import { PublicOrigin } from './shared/public-origin.ts';
import type { StageSettings } from './stage-settings.ts';
import { stageTags } from './shared/stage-tags.ts';
import { StageZone } from './web/stage-zone.ts';

export interface ServiceStageProps {
  readonly settings: StageSettings;
  readonly image: PublisherImage;
}

/**
 * The whole platform, once. Its id is the name of the stage, and a prefix of the names of its stacks. Settings that
 * have not been checked go through `checkStage` first.
 */
export class ServiceStage extends Stage {
  constructor(scope: Construct, id: string, { settings, image }: ServiceStageProps) {
    super(scope, id, {
      ...(settings.permissionsBoundaryArn !== null && {
        permissionsBoundary: PermissionsBoundary.fromArn(settings.permissionsBoundaryArn),
      }),
      env: { region: settings.region, ...(settings.account === null ? {} : { account: settings.account }) },
    });
    if (settings.bootstrapQualifier !== null)
      this.node.setContext(BOOTSTRAP_QUALIFIER_CONTEXT, settings.bootstrapQualifier);
    for (const [key, value] of Object.entries(stageTags(id, settings))) Tags.of(this).add(key, value);
    const origin = new PublicOrigin(id, settings);
    const zone = new StageZone(this, settings);

    const recovery =
      settings.recoveryRegion === null
        ? null
        : new RecoveryStack(this, 'Recovery', { settings, region: settings.recoveryRegion });
    const network = new NetworkStack(this, 'Network', { settings });
    const database = new DatabaseStack(this, 'Database', { settings, network, recovery });
    const media = new MediaStack(this, 'Media', { settings, recovery });
    const publishing = new PublishingStack(this, 'Publishing', { settings, network, database, media, origin, image });
    const identity = new IdentityStack(this, 'Identity', { settings, network, database, origin, zone });
    const api = new ApiStack(this, 'Api', {
      settings,
      network,
      access: publishing.access,
      queues: publishing.queues,
      identity,
    });
    const operate = new OperateStack(this, 'Operate', { settings, network, publishing });
    const edge = new EdgeStack(this, 'Edge', { settings, zone });
    // A changed id would be a new stack, with an empty bucket and another address.
    const web = new WebStack(this, 'Dashboard', { settings, edge, api, media, zone });
    const delivery = new DeliveryStack(this, 'Delivery', { settings, media, origin, url: web.url });
    // The template has no reference for this: the address of a domain does not depend on its target.
    delivery.addStackDependency(web);
    const monitoring = new MonitoringStack(this, 'Monitoring', {
      settings,
      network,
      database,
      publishing,
      identity,
      api,
      operate,
    });
    // Functions fail until they know their address, and their alarms would fire.
    monitoring.addStackDependency(delivery);
  }
}
