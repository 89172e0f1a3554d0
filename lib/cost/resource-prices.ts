// What each type of resource costs: something while it is there, something by use, or nothing.
// A test finds the types of the templates that are in none of these tables.
import { fargateTaskOf, groupOf, machineOf, machinesAtLeast, tasksAtLeast } from './agent-machines.ts';
import { insightsMetricsOf } from './insights-metrics.ts';
import { natMachineUsdPerMonth } from './nat-machine.ts';
import { byUse, databaseClasses, databaseGiB, hoursPerMonth, listed, type ListPrice, standing } from './list-prices.ts';
import { provedStarts } from './proved-starts.ts';
import { referred, type StageResource } from './stage-resources.ts';

export interface StandingCost {
  /** What is paid for, in words that are the same for every stage. */
  readonly what: string;
  /** How many there are, and of what size. */
  readonly size: string;
  readonly usdPerMonth: number;
}

/** Computes a cost from all resources of one type in a stage. */
type Pricing = (resources: readonly StageResource[]) => StandingCost;

/** The pricing of something that each resource has so many units of. */
function counted(what: string, price: ListPrice, unitsOf: (resource: StageResource) => number = () => 1): Pricing {
  return (resources) => {
    const count = sum(resources, unitsOf);
    return { what, size: String(count), usdPerMonth: perMonth(price, count) };
  };
}

/** Types that cost something while they are there, in the order of the table. */
export const priced: Readonly<Record<string, readonly Pricing[]>> = {
  'AWS::AutoScaling::AutoScalingGroup': [
    gpuMachines,
    counted('Public addresses of the machines', standing.publicAddress, machinesAtLeast),
  ],
  'AWS::ECS::Service': [
    fargateTasks,
    counted('Public addresses of the tasks', standing.publicAddress, (service) =>
      service.properties.NetworkConfiguration?.AwsvpcConfiguration.AssignPublicIp === 'ENABLED'
        ? tasksAtLeast(service)
        : 0,
    ),
  ],
  'AWS::RDS::DBInstance': [
    databaseInstances,
    databaseStorage,
    counted('Secrets of the master’s password', standing.secret, ({ properties }) =>
      properties.ManageMasterUserPassword === true ? 1 : 0,
    ),
  ],
  'AWS::RDS::DBProxyTargetGroup': [counted('RDS Proxy, vCPU of the database', standing.proxyVcpu, proxiedVcpusOf)],
  'AWS::EC2::NatGateway': [counted('NAT gateways', standing.natGateway)],
  'AWS::EC2::Instance': [
    (machines) => ({
      what: 'NAT instances and their disks',
      size: machines.map(({ properties }) => properties.InstanceType).join(', '),
      usdPerMonth: sum(machines, natMachineUsdPerMonth),
    }),
    counted('Public addresses of NAT instances', standing.publicAddress, ({ properties }) =>
      properties.NetworkInterfaces?.[0]?.AssociatePublicIpAddress === true ? 1 : 0,
    ),
  ],
  'AWS::EC2::VPCEndpoint': [
    counted('Interface endpoints, in each zone', standing.interfaceEndpoint, ({ properties }) =>
      properties.VpcEndpointType === 'Interface' ? properties.SubnetIds.length : 0,
    ),
  ],
  'AWS::EC2::EIP': [counted('Their addresses', standing.publicAddress)],
  'AWS::ECS::Cluster': [counted('Container Insights, metrics', standing.customMetric, insightsMetricsOf)],
  'AWS::CloudWatch::Alarm': [
    counted('Alarms, metrics', standing.alarmMetric, ({ properties }) => metricsOf(properties.Metrics)),
  ],
  'AWS::ApplicationAutoScaling::ScalingPolicy': [
    // AWS makes two alarms for a policy that tracks a target: one to add tasks, one to take some away.
    counted('Alarms of the scaling, metrics', standing.alarmMetric, ({ properties }) =>
      properties.PolicyType === 'TargetTrackingScaling' ? 2 * metricsOf(trackedMetricsOf(properties)) : 0,
    ),
  ],
  'AWS::Logs::MetricFilter': [metricsCountedInLogs],
  'AWS::SES::ConfigurationSetEventDestination': [
    counted('Metrics of mails', standing.customMetric, ({ properties }) =>
      properties.EventDestination.CloudWatchDestination ? properties.EventDestination.MatchingEventTypes.length : 0,
    ),
  ],
  'AWS::Lambda::Function': [provedStarts],
  'AWS::CloudWatch::Dashboard': [counted('CloudWatch dashboards', standing.dashboard)],
  'AWS::WAFv2::WebACL': [
    counted('Web ACLs', standing.webAcl),
    counted('Their rules', standing.webAclRule, ({ properties }) => properties.Rules.length),
  ],
  'AWS::SecretsManager::Secret': [counted('Secrets', standing.secret)],
  'AWS::KMS::Key': [counted('KMS keys', standing.kmsKey)],
  'AWS::Route53::HostedZone': [counted('Hosted zones', standing.hostedZone)],
};

/** Types whose use costs something, with the price of each use. A type here may also be in `priced`. */
export const paidByUse: Readonly<Record<string, Readonly<Record<string, ListPrice>>>> = {
  'AWS::S3::Bucket': {
    Objects: byUse.s3Storage,
    'Renditions not read for 30 days': byUse.s3StorageInfrequent,
    'Reads of objects': byUse.s3Reads,
    'Writes of objects': byUse.s3Writes,
  },
  'AWS::EC2::NatGateway': { 'What functions send and get outside': byUse.natTraffic },
  'AWS::EC2::VPC': { 'Traffic between zones': byUse.betweenZones },
  'AWS::EC2::FlowLog': { 'Flow logs, rejected packets only': byUse.logsTakenIn },
  // The price of logs depends on how long they are kept: see `longestLogs` in stage-cost.ts.
  'AWS::Logs::LogGroup': {},
  'AWS::RDS::DBInstance': { Backups: byUse.backups, 'CPU of the database beyond its share': byUse.databaseBurst },
  'AWS::Lambda::Function': {
    'Calls of functions': byUse.lambdaRequests,
    'Time of functions, for each GB': byUse.lambdaCompute,
    Traces: byUse.traces,
  },
  'AWS::ApiGateway::RestApi': { 'API requests': byUse.apiRequests },
  'AWS::CloudFront::Distribution': {
    'Requests to the distribution': byUse.cloudFrontRequests,
    'What it sends to browsers and clients': byUse.cloudFrontTraffic,
    // Lambda@Edge has prices of its own, so those of functions in the region are not those of `ChallengeFunction`.
    'Calls of its function for answers of the API': byUse.edgeRequests,
    'Time of that function, for each GB': byUse.edgeCompute,
  },
  'AWS::CloudFront::Function': { 'Calls of the page’s function': byUse.cloudFrontFunctions },
  'AWS::SES::EmailIdentity': { 'Mails to users': byUse.mails },
  'AWS::WAFv2::WebACL': { 'Requests that a web ACL judges': byUse.webAclRequests },
  'AWS::SQS::Queue': { 'Requests to queues, empty polls too': byUse.queueRequests },
  'AWS::StepFunctions::StateMachine': { 'Steps of the weekly comparison with the templates': byUse.steps },
  'AWS::Scheduler::ScheduleGroup': { 'Schedules that fire': byUse.schedules },
  'AWS::SNS::Topic': { Notifications: byUse.notifications },
  'AWS::SecretsManager::Secret': { 'Reads of secrets': byUse.secretReads },
  'AWS::KMS::Key': { 'Uses of KMS keys': byUse.kmsRequests },
  'AWS::ECR::Repository': { 'Images, once in an account': byUse.images },
};

/** Types that cost nothing. */
export const free: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::Stage',
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::Budgets::Budget',
  'AWS::CertificateManager::Certificate',
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::ResponseHeadersPolicy',
  // It takes nothing for functions.
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::EC2::InternetGateway',
  'AWS::EC2::LaunchTemplate',
  'AWS::EC2::Route',
  'AWS::EC2::RouteTable',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::SecurityGroupIngress',
  'AWS::EC2::Subnet',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPCGatewayAttachment',
  'AWS::ECS::CapacityProvider',
  'AWS::ECS::ClusterCapacityProviderAssociations',
  'AWS::ECS::TaskDefinition',
  'AWS::Events::Rule',
  'AWS::IAM::InstanceProfile',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::OIDCProvider',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::LayerVersion',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::RDS::DBProxy',
  'AWS::RDS::DBSubnetGroup',
  'AWS::Route53::RecordSet',
  'AWS::S3::BucketPolicy',
  'AWS::SES::ConfigurationSet',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::SSM::Parameter',
  'AWS::WAFv2::WebACLAssociation',
  'Custom::AWS',
  'Custom::CDKBucketDeployment',
  'Custom::CrossAccountZoneDelegation',
  'Custom::Trigger',
  'Custom::VpcRestrictDefaultSG',
]);

type Properties = StageResource['properties'];

function gpuMachines(groups: readonly StageResource[]): StandingCost {
  const sizes = groups.map((group) => ({ ...machineOf(group), count: machinesAtLeast(group) }));
  return {
    what: 'GPU machines and their disks, at least',
    size: sizes.map(({ count, type }) => `${count} × ${type}`).join(', '),
    usdPerMonth: sum(sizes, ({ count, usdPerHour }) => count * usdPerHour * hoursPerMonth),
  };
}

function fargateTasks(services: readonly StageResource[]): StandingCost {
  const onFargate = services.filter((service) => groupOf(service) === null);
  const sizes = onFargate.map((service) => ({ ...fargateTaskOf(service), count: tasksAtLeast(service) }));
  return {
    what: 'Fargate tasks, at least',
    size: sizes.map(({ count, vcpus, memoryGB }) => `${count} × ${vcpus} vCPU, ${memoryGB} GB`).join(', '),
    usdPerMonth: sum(sizes, ({ count, usdPerHour }) => count * usdPerHour * hoursPerMonth),
  };
}

function databaseInstances(instances: readonly StageResource[]): StandingCost {
  const usdPerMonthOf = ({ properties }: StageResource) =>
    copiesOf(properties) * perMonth(databaseClassOf(properties).price, 1);
  return {
    what: 'Database, and its standby if any',
    size: instances.map(({ properties }) => `${copiesOf(properties)} × ${properties.DBInstanceClass}`).join(', '),
    usdPerMonth: sum(instances, usdPerMonthOf),
  };
}

function databaseStorage(instances: readonly StageResource[]): StandingCost {
  const usdPerMonthOf = ({ properties }: StageResource) =>
    copiesOf(properties) * perMonth(databaseStorageOf(properties), Number(properties.AllocatedStorage));
  return {
    what: 'Its storage, to begin with',
    size: instances.map(({ properties }) => `${copiesOf(properties)} × ${properties.AllocatedStorage} GiB`).join(', '),
    usdPerMonth: sum(instances, usdPerMonthOf),
  };
}

/** vCPU of the databases that a proxy is paid for: two at least. */
function proxiedVcpusOf(group: StageResource): number {
  const instances: readonly unknown[] = group.properties.DBInstanceIdentifiers;
  const vcpusOf = (identifier: unknown) => databaseClassOf(referred(group, identifier).properties).vcpus;
  return Math.max(2, sum(instances, vcpusOf));
}

function metricsCountedInLogs(filters: readonly StageResource[]): StandingCost {
  const transformations = filters.flatMap(({ properties }): Properties[] => properties.MetricTransformations);
  const names = new Set(
    transformations.map(({ MetricNamespace, MetricName }) => JSON.stringify([MetricNamespace, MetricName])),
  );
  return {
    what: 'Metrics counted in logs',
    size: String(names.size),
    usdPerMonth: perMonth(standing.customMetric, names.size),
  };
}

/** US dollars a month for so many of something that is paid by the hour or by the month. */
function perMonth({ usd, per }: ListPrice, count: number): number {
  return usd * count * (per === 'hour' ? hoursPerMonth : 1);
}

function sum<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + amountOf(item), 0);
}

function databaseClassOf({ DBInstanceClass }: Properties) {
  return listed(databaseClasses, DBInstanceClass);
}

function databaseStorageOf({ StorageType, PerformanceInsightsRetentionPeriod }: Properties): ListPrice {
  if (PerformanceInsightsRetentionPeriod > 7)
    throw new Error('lib/cost/list-prices.ts has no price for Performance Insights of more than 7 days: add it there');
  return listed(databaseGiB, StorageType);
}

/** 2 for a database with a standby, else 1. */
function copiesOf({ MultiAZ }: Properties): number {
  return MultiAZ === true ? 2 : 1;
}

/**
 * How many metrics an alarm looks at: it is paid for each of them.
 * @param metrics of an alarm that computes with metrics; undefined for an alarm that looks at one
 */
function metricsOf(metrics: readonly Properties[] | undefined): number {
  return metrics === undefined ? 1 : metrics.filter(({ MetricStat }) => MetricStat !== undefined).length;
}

function trackedMetricsOf({ TargetTrackingScalingPolicyConfiguration }: Properties): readonly Properties[] | undefined {
  return TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification?.Metrics;
}
