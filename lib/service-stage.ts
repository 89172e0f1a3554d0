// One stage of the platform: all of its stacks, in the order in which they are deployed.
// Decision D106, decision D189.
import cdk from '../cdk.json' with { type: 'json' };
import { BOOTSTRAP_QUALIFIER_CONTEXT, CfnOutput, PermissionsBoundary, type Stack, Stage, Tags } from 'aws-cdk-lib';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import type { ICluster } from 'aws-cdk-lib/aws-ecs';
import type { DatabaseInstance } from 'aws-cdk-lib/aws-rds';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { ApiStack } from './api/api-stack.ts';
import { WebStack } from './web/web-stack.ts';
import { EdgeStack } from './web/edge-stack.ts';
import { DatabaseStack } from './database/database-stack.ts';
import { DeliveryStack } from './delivery/delivery-stack.ts';
import { IdentityStack } from './identity/identity-stack.ts';
import { MediaStack } from './media/media-stack.ts';
import { MonitoringStack } from './monitoring/monitoring-stack.ts';
import type { StageMetrics } from './monitoring/stage-metrics.ts';
import { NetworkStack } from './network/network-stack.ts';
import { OperateStack } from './operate/operate-stack.ts';
import { RecoveryStack } from './recovery/recovery-stack.ts';
import { PublishingStack } from './publishing/publishing-stack.ts';
import { PublisherImage } from './shared/publisher-image.ts';
import { PublicOrigin } from './shared/public-origin.ts';
import { completeSettings, type StageChoices } from './presets.ts';
import { checkStage, type StageSettings } from './stage-settings.ts';
import { stageTags } from './shared/stage-tags.ts';
import { StageZone } from './web/stage-zone.ts';

/** The CDK's feature flags change templates. A stage brings its own, so that it is the same in each app. */
const featureFlags = Object.entries(cdk.context).filter(([key]) => key.startsWith('@aws-cdk'));

/** Settings of a stage, and its image. */
export interface ServiceStageProps extends StageChoices {
  /**
   * The image of agents and workers.
   * @default PublisherImage.fromSources()
   */
  readonly image?: PublisherImage;
}

/** Outputs of the stacks, under names that stay: for `envFromCfnOutputs` of CDK Pipelines, and for scripts. */
export interface StageOutputs {
  /** `SiteUrl` of the stack Delivery: the address of the web page, without a trailing slash. */
  readonly siteUrl: CfnOutput;
  /** `ApiBaseUrl` of the stack Delivery: the address that paths of the API, such as `/status`, follow. */
  readonly apiBaseUrl: CfnOutput;
  /** `DistributionId` of the stack Dashboard. */
  readonly distributionId: CfnOutput;
  /** `VpcId` of the stack Network. */
  readonly vpcId: CfnOutput;
  /** `Endpoint` of the stack Database: the host name that clients connect to, of RDS Proxy if the stage has one. */
  readonly databaseEndpoint: CfnOutput;
  /** `UploadsBucketName` of the stack Media. */
  readonly uploadsBucketName: CfnOutput;
  /** `ClusterName` of the stack Publishing. */
  readonly clusterName: CfnOutput;
  /** `AlarmTopicArn` of the stack Monitoring. */
  readonly alarmTopicArn: CfnOutput;
}

/**
 * The whole platform, once. Its id is the name of the stage, and a prefix of the names of its stacks: up to 16
 * lower-case letters, digits and hyphens, a letter first. Its members are for stacks that you add to the stage:
 * `new YourStack(stage, 'Yours', { topic: stage.alarmTopic })`.
 */
export class ServiceStage extends Stage {
  /** All settings of the stage, with those of its preset. */
  readonly settings: StageSettings;
  /** The address of the web page, without a trailing slash. The API is below `/v1`. */
  readonly url: string;
  /** The new VPC of the stage, or the given one. */
  readonly vpc: IVpc;
  /** The security group of agents and media workers, and of their machines. */
  readonly publishers: ISecurityGroup;
  /** The security group whose members can reach the database. */
  readonly databaseClients: ISecurityGroup;
  /** The RDS instance. Clients connect to `outputs.databaseEndpoint`, as members of `databaseClients`. */
  readonly database: DatabaseInstance;
  /** The bucket of users' uploads, and of the renditions prepared from them. */
  readonly uploads: IBucket;
  /** The ECS cluster of agents and workers. */
  readonly cluster: ICluster;
  /** The distribution of the web page and the API. */
  readonly distribution: Distribution;
  /** Receives a notification when an alarm begins and when it ends, and those of the budget. */
  readonly alarmTopic: ITopic;
  /** The alarms that page an engineer. */
  readonly alarms: readonly IAlarm[];
  /** The metrics that the alarms watch. */
  readonly metrics: StageMetrics;
  /** Outputs of the stacks, for CDK Pipelines. */
  readonly outputs: StageOutputs;

  /** @throws if the id or a setting is invalid; the message names it */
  constructor(scope: Construct, id: string, props: ServiceStageProps) {
    const { image = PublisherImage.fromSources(), ...given } = props;
    const settings = completeSettings(given);
    checkStage(id, settings);
    super(scope, id, {
      ...(settings.permissionsBoundaryArn !== null && {
        permissionsBoundary: PermissionsBoundary.fromArn(settings.permissionsBoundaryArn),
      }),
      env: { region: settings.region, ...(settings.account === null ? {} : { account: settings.account }) },
    });
    this.settings = settings;
    this.#prepare();
    const origin = new PublicOrigin(id, settings);
    const zone = new StageZone(this, settings);

    const recovery =
      settings.recoveryRegion === null
        ? null
        : new RecoveryStack(this, 'Recovery', { settings, region: settings.recoveryRegion });
    const network = new NetworkStack(this, 'Network', { settings });
    const database = new DatabaseStack(this, 'Database', { settings, network, recovery });
    const media = new MediaStack(this, 'Media', { settings, recovery });
    const publishing = new PublishingStack(this, 'Publishing', {
      settings,
      network,
      database,
      media,
      origin,
      zone,
      image,
    });
    const identity = new IdentityStack(this, 'Identity', { settings, network, database, origin, zone });
    // It knows a configuration set of Identity by its name.
    publishing.addStackDependency(identity);
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
    const delivery = new DeliveryStack(this, 'Delivery', { stageName: id, settings, media, origin, url: web.url });
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
      media,
      recovery,
      web,
    });
    // Functions fail until they know their address, and their alarms would fire.
    monitoring.addStackDependency(delivery);

    ({ vpc: this.vpc, publishers: this.publishers, databaseClients: this.databaseClients } = network);
    ({ url: this.url, distribution: this.distribution } = web);
    ({ topic: this.alarmTopic, alarms: this.alarms, metrics: this.metrics } = monitoring);
    this.database = database.instance;
    this.uploads = media.uploads;
    this.cluster = publishing.agents.cluster;
    this.outputs = {
      siteUrl: delivery.siteUrl,
      apiBaseUrl: delivery.apiBaseUrl,
      distributionId: web.idOutput,
      vpcId: output(network, 'VpcId', this.vpc.vpcId),
      databaseEndpoint: output(database, 'Endpoint', database.endpoint),
      uploadsBucketName: output(media, 'UploadsBucketName', this.uploads.bucketName),
      clusterName: output(publishing, 'ClusterName', this.cluster.clusterName),
      alarmTopicArn: output(monitoring, 'AlarmTopicArn', this.alarmTopic.topicArn),
    };
  }

  /** Sets what the CDK reads when the stacks are made. */
  #prepare(): void {
    const { settings, node } = this;
    for (const [flag, value] of featureFlags) node.setContext(flag, value);
    if (settings.bootstrapQualifier !== null) node.setContext(BOOTSTRAP_QUALIFIER_CONTEXT, settings.bootstrapQualifier);
    for (const [key, value] of Object.entries(stageTags(node.id, settings))) Tags.of(this).add(key, value);
  }
}

function output(stack: Stack, id: string, value: string): CfnOutput {
  return new CfnOutput(stack, id, { value });
}
