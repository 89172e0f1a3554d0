// The price of a stage for a month without streams: the resources of its templates, counted and multiplied.
import {
  isOnMachines,
  launchTemplate,
  neighbours,
  referred,
  type Resource,
  resourcesOf,
  tasksAtLeast,
  type Template,
} from '../stages/templates.ts';
import { databases, databaseVolumes, insightsMetrics, listed, machines, monthly, volumes } from './prices.ts';

/** A row of the table: resources of a type, the paid units of each, and dollars per unit and month. */
interface Row {
  readonly what: string;
  readonly type: string;
  readonly usd: number | ((resource: Resource) => number);
  /** Default: 1. */
  readonly units?: (resource: Resource) => number;
  /** The size of a unit, in words. */
  readonly size?: (resource: Resource) => string;
  /** A key: resources with an equal key are counted once. */
  readonly once?: (resource: Resource) => string;
}

const group = 'AWS::AutoScaling::AutoScalingGroup';
const service = 'AWS::ECS::Service';
const database = 'AWS::RDS::DBInstance';
const balancer = 'AWS::ElasticLoadBalancingV2::LoadBalancer';
const copies = ({ properties }: Resource) => (properties.MultiAZ === true ? 2 : 1);
const metricsOf = (metrics: any[] | undefined) => metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1;

/** Pending bytes and operations, failed operations, latency. */
const metricsOfCopies = 4;

const rows: readonly Row[] = [
  {
    what: 'GPU machines and their disks, at least',
    type: group,
    usd: usdOfMachine,
    units: machinesAtLeast,
    size: machineType,
  },
  { what: 'Public addresses of the machines', type: group, usd: monthly.publicAddress, units: machinesAtLeast },
  { what: 'Fargate tasks, at least', type: service, usd: usdOfTask, units: fargateTasks, size: taskSize },
  { what: 'Public addresses of the tasks', type: service, usd: monthly.publicAddress, units: addressedTasks },
  {
    what: 'Database, and its standby if any',
    type: database,
    usd: ({ properties }) => listed(databases, properties.DBInstanceClass).usd,
    units: copies,
    size: ({ properties }) => properties.DBInstanceClass,
  },
  {
    what: 'Its initial storage',
    type: database,
    usd: ({ properties }) => listed(databaseVolumes, properties.StorageType) * Number(properties.AllocatedStorage),
    units: copies,
    size: ({ properties }) => `${properties.AllocatedStorage} GiB`,
  },
  {
    what: 'Secrets of the master’s password',
    type: database,
    usd: monthly.secret,
    units: ({ properties }) => Number(properties.ManageMasterUserPassword === true),
  },
  {
    what: 'RDS Proxy, by vCPU of the database, at least two',
    type: 'AWS::RDS::DBProxyTargetGroup',
    usd: monthly.proxyVcpu,
    units: ({
      properties: {
        DBInstanceIdentifiers: [instance],
      },
      ...resource
    }) =>
      Math.max(
        2,
        listed(databases, referred({ ...resource, properties: {} }, instance).properties.DBInstanceClass).vcpus,
      ),
  },
  { what: 'Load balancers of live ingests', type: balancer, usd: monthly.loadBalancer },
  {
    what: 'Public addresses of load balancers',
    type: balancer,
    usd: monthly.publicAddress,
    units: ({ properties }) => properties.Subnets.length,
  },
  { what: 'NAT gateways', type: 'AWS::EC2::NatGateway', usd: monthly.natGateway },
  { what: 'Their addresses', type: 'AWS::EC2::EIP', usd: monthly.publicAddress },
  {
    what: 'NAT instances and their disks',
    type: 'AWS::EC2::Instance',
    usd: usdOfMachine,
    size: machineType,
  },
  { what: 'Public addresses of NAT instances', type: 'AWS::EC2::Instance', usd: monthly.publicAddress },
  {
    what: 'Container Insights, metrics',
    type: 'AWS::ECS::Cluster',
    usd: monthly.customMetric,
    units: insightsMetricsOf,
  },
  {
    what: 'Alarms, metrics',
    type: 'AWS::CloudWatch::Alarm',
    usd: monthly.alarmMetric,
    units: ({ properties }) => metricsOf(properties.Metrics),
  },
  { what: 'Alarms of several alarms', type: 'AWS::CloudWatch::CompositeAlarm', usd: monthly.compositeAlarm },
  {
    // AWS creates two alarms for a target tracking policy: one to add tasks, one to remove some.
    what: 'Alarms of the scaling, metrics',
    type: 'AWS::ApplicationAutoScaling::ScalingPolicy',
    usd: monthly.alarmMetric,
    units: ({ properties: { PolicyType, TargetTrackingScalingPolicyConfiguration: tracking } }) =>
      PolicyType === 'TargetTrackingScaling' ? 2 * metricsOf(tracking.CustomizedMetricSpecification?.Metrics) : 0,
  },
  {
    what: 'Metrics from logs',
    type: 'AWS::Logs::MetricFilter',
    usd: monthly.customMetric,
    once: ({
      properties: {
        MetricTransformations: [{ MetricNamespace, MetricName }],
      },
    }) => JSON.stringify([MetricNamespace, MetricName]),
  },
  {
    what: 'Metrics of mails',
    type: 'AWS::SES::ConfigurationSetEventDestination',
    usd: monthly.customMetric,
    units: ({ properties }) => properties.EventDestination.MatchingEventTypes.length,
  },
  {
    what: 'Metrics of copies of uploads',
    type: 'AWS::S3::Bucket',
    usd: monthly.customMetric,
    units: ({ properties }) =>
      metricsOfCopies *
      (properties.ReplicationConfiguration?.Rules.filter(({ Destination }: any) => Destination.Metrics).length ?? 0),
  },
  {
    what: 'A test stream each minute',
    type: 'AWS::Lambda::Function',
    usd: monthly.syntheticStream,
    units: ({ properties }) => Number('INGEST_BUCKET' in (properties.Environment?.Variables ?? {})),
  },
  { what: 'CloudWatch dashboards', type: 'AWS::CloudWatch::Dashboard', usd: monthly.dashboard },
  { what: 'Web ACLs', type: 'AWS::WAFv2::WebACL', usd: monthly.webAcl },
  {
    what: 'Their rules',
    type: 'AWS::WAFv2::WebACL',
    usd: monthly.webAclRule,
    units: ({ properties }) => properties.Rules.length,
  },
  { what: 'Secrets', type: 'AWS::SecretsManager::Secret', usd: monthly.secret },
  { what: 'KMS keys', type: 'AWS::KMS::Key', usd: monthly.kmsKey },
  { what: 'Health checks of the page', type: 'AWS::Route53::HealthCheck', usd: monthly.healthCheck },
  { what: 'Hosted zones', type: 'AWS::Route53::HostedZone', usd: monthly.hostedZone },
];

/** Types of resources that cost money while they exist. */
export const pricedTypes: ReadonlySet<string> = new Set(rows.map(({ type }) => type));

export interface MonthCost {
  readonly what: string;
  /** The paid units, such as `3 × g4dn.xlarge`. */
  readonly size: string;
  readonly usd: number;
}

/**
 * The price of a month without streams, row by row, in the same order for every stage.
 * @param templates of all stacks of the stage
 * @throws if a size has no price
 */
export function monthOf(templates: readonly Template[]): MonthCost[] {
  const resources = templates.flatMap(resourcesOf);
  return rows.map(({ what, type, usd, units = () => 1, size = () => '', once = ({ id }) => id }) => {
    const ofType = resources.filter((resource) => resource.type === type);
    const paid = [...new Map(ofType.map((resource) => [once(resource), resource])).values()];
    const counted = paid.map((resource) => ({ resource, count: units(resource) })).filter(({ count }) => count > 0);
    const count = (of: readonly { readonly count: number }[]) => of.reduce((sum, each) => sum + each.count, 0);
    const sizes = Map.groupBy(counted, ({ resource }) => size(resource));
    return {
      what,
      size: [...sizes].map(([name, of]) => (name === '' ? `${count(of)}` : `${count(of)} × ${name}`)).join(', '),
      usd: counted.reduce((sum, each) => sum + each.count * (typeof usd === 'number' ? usd : usd(each.resource)), 0),
    };
  });
}

/** The fewest machines of the pool. Each of its tasks requests a GPU, and so a whole machine. */
function machinesAtLeast(pool: Resource): number {
  const tasks = neighbours(pool, service).filter(isOnMachines).map(tasksAtLeast);
  return Math.max(
    Number(pool.properties.MinSize),
    tasks.reduce((sum, count) => sum + count, 0),
  );
}

function machineType(launched: Resource): string {
  return launchTemplate(launched).InstanceType;
}

function usdOfMachine(launched: Resource): number {
  return listed(machines, machineType(launched)).usd + usdOfDisks(launchTemplate(launched));
}

function usdOfDisks({ BlockDeviceMappings: disks = [] }: any): number {
  return disks.reduce((sum: number, { Ebs }: any) => sum + Ebs.VolumeSize * listed(volumes, Ebs.VolumeType), 0);
}

function fargateTasks(resource: Resource): number {
  return isOnMachines(resource) ? 0 : tasksAtLeast(resource);
}

function addressedTasks(resource: Resource): number {
  const { AssignPublicIp } = resource.properties.NetworkConfiguration?.AwsvpcConfiguration ?? {};
  return AssignPublicIp === 'ENABLED' ? tasksAtLeast(resource) : 0;
}

/** vCPU and GiB of a service's task. */
function sizeOfTask(resource: Resource): readonly [vcpus: number, GiB: number] {
  const { Cpu, Memory } = referred(resource, resource.properties.TaskDefinition).properties;
  return [Number(Cpu) / 1024, Number(Memory) / 1024];
}

function taskSize(resource: Resource): string {
  const [vcpus, GiB] = sizeOfTask(resource);
  return `${vcpus} vCPU, ${GiB} GB`;
}

function usdOfTask(resource: Resource): number {
  const [vcpus, GiB] = sizeOfTask(resource);
  return vcpus * monthly.fargateArmVcpu + GiB * monthly.fargateArmGB;
}

function insightsMetricsOf(cluster: Resource): number {
  const { ClusterSettings: settings = [] } = cluster.properties;
  if (!settings.some(({ Name, Value }: any) => Name === 'containerInsights' && Value === 'enabled')) return 0;
  const { cluster: own, service: each, taskFamily } = insightsMetrics;
  const families = neighbours(cluster, 'AWS::ECS::TaskDefinition').length;
  return own + each * neighbours(cluster, service).length + taskFamily * families;
}
