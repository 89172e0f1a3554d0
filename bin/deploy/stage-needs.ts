// The quotas of an account and the kinds of machines that a stage needs, read from its templates.
import { requestsAtOnce } from '../../lib/shared/function-calls.ts';
import {
  isOnMachines,
  launchTemplate,
  neighbours,
  referred,
  type Resource,
  resourcesOf,
  scalingOf,
  tasksAtLeast,
  type Template,
} from '../stages/templates.ts';

export interface Need {
  /** With a lower quota, the first deployment or a later one fails, or the stage does not start. */
  readonly toDeploy: number;
  /** With a lower quota, the stage stops growing before the limits of its settings. */
  readonly atMost: number;
}

export interface QuotaNeeds {
  /** vCPU of machines with a GPU. */
  readonly gpuVcpus: Need;
  /** vCPU of tasks on Fargate. */
  readonly fargateVcpus: Need;
  /** Calls of functions at the same time. */
  readonly concurrentCalls: Need;
  /** Virtual networks in the stage's region. */
  readonly vpcs: Need;
}

export interface StageNeeds extends QuotaNeeds {
  /** Types of the machines that the stage runs in each of its zones. */
  readonly machineTypes: readonly string[];
  readonly databases: readonly NeededDatabase[];
}

export interface NeededDatabase {
  /** As RDS names it, such as `db.t4g.medium`. */
  readonly instanceClass: string;
  /** Of Postgres. */
  readonly majorVersion: string;
  /** Zones in which RDS keeps an instance at the same time. */
  readonly zoneCount: number;
}

/** The tasks of a service at once. */
interface Tasks {
  readonly service: Resource;
  /** At the end of the first deployment. */
  readonly first: number;
  /** While a release is deployed to the fewest tasks, or to the most: new tasks start before the old ones end. */
  readonly atRelease: number;
  readonly atMost: number;
}

/** A function that CloudFormation calls for a resource. */
const customResourceCalls = 1;

/** @param templates of all stacks of the stage */
export function needsOf(templates: readonly Template[]): StageNeeds {
  const resources = templates.flatMap(resourcesOf);
  const ofType = (wanted: string) => resources.filter(({ type }) => type === wanted);
  return {
    gpuVcpus: sumOf(ofType('AWS::AutoScaling::AutoScalingGroup').map(needOfPool)),
    fargateVcpus: sumOf(
      ofType('AWS::ECS::Service')
        .filter((service) => !isOnMachines(service))
        .map(tasksOf)
        .map((tasks) => ({ tasks, vcpus: vcpusOfTask(tasks.service) }))
        .map(({ tasks, vcpus }) => timesOf(vcpus, tasks)),
    ),
    concurrentCalls: callsOf(resources),
    vpcs: { toDeploy: ofType('AWS::EC2::VPC').length, atMost: ofType('AWS::EC2::VPC').length },
    machineTypes: [
      ...new Set(
        ofType('AWS::EC2::LaunchTemplate').map(({ properties }): string => properties.LaunchTemplateData.InstanceType),
      ),
    ],
    databases: ofType('AWS::RDS::DBInstance').map(({ properties: { DBInstanceClass, EngineVersion, MultiAZ } }) => ({
      instanceClass: DBInstanceClass,
      majorVersion: EngineVersion.split('.')[0],
      zoneCount: MultiAZ ? 2 : 1,
    })),
  };
}

function timesOf(vcpus: number, { first, atRelease, atMost }: Tasks) {
  return { first: vcpus * first, atRelease: vcpus * atRelease, atMost: vcpus * atMost };
}

/** The services of a stage start together, and a release changes all of them together. */
function sumOf(
  parts: readonly { readonly first: number; readonly atRelease: number; readonly atMost: number }[],
): Need {
  const sum = (of: (part: (typeof parts)[number]) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    toDeploy: Math.max(
      sum(({ first }) => first),
      sum(({ atRelease }) => atRelease),
    ),
    atMost: sum(({ atMost }) => atMost),
  };
}

function tasksOf(service: Resource): Tasks {
  const { DeploymentConfiguration, DesiredCount } = service.properties;
  const whileReleasing = (count: number) => Math.floor((count * DeploymentConfiguration.MaximumPercent) / 100);
  const atLeast = tasksAtLeast(service);
  const most = Number(scalingOf(service)?.properties.MaxCapacity ?? atLeast);
  // Without a count, ECS starts one task, unless a function sets the count (decision D185).
  const created = Number(DesiredCount ?? (startsWithNone(service) ? 0 : 1));
  return {
    service,
    first: Math.max(created, atLeast),
    atRelease: whileReleasing(atLeast),
    atMost: whileReleasing(most),
  };
}

function startsWithNone(service: Resource): boolean {
  return neighbours(service, 'Custom::Trigger').some(({ id }) => service.dependsOn.includes(id));
}

function vcpusOfTask(service: Resource): number {
  return Number(referred(service, service.properties.TaskDefinition).properties.Cpu) / 1024;
}

/** Each task on a machine requests a GPU, and so a whole machine. */
function needOfPool(pool: Resource) {
  const { MinSize, MaxSize } = pool.properties;
  const tasks = neighbours(pool, 'AWS::ECS::Service').filter(isOnMachines).map(tasksOf);
  const machines = (of: (each: Tasks) => number) =>
    Math.min(
      Number(MaxSize),
      Math.max(
        Number(MinSize),
        tasks.reduce((sum, each) => sum + of(each), 0),
      ),
    );
  const vcpus = vcpusOfMachine(launchTemplate(pool).InstanceType);
  return {
    first: vcpus * machines(({ first }) => first),
    atRelease: vcpus * machines(({ atRelease }) => atRelease),
    atMost: vcpus * Number(MaxSize),
  };
}

function callsOf(resources: readonly Resource[]): Need {
  const ofType = (wanted: string) => resources.filter(({ type }) => type === wanted);
  const ofQueues = ofType('AWS::Lambda::EventSourceMapping').map(
    ({ properties }): number => properties.ScalingConfig.MaximumConcurrency,
  );
  const jobs = ofType('AWS::Lambda::Permission').filter(({ properties }) => isFor(properties, 'events'));
  const besideTheApi = ofQueues.reduce((sum, calls) => sum + calls, 0) + jobs.length + customResourceCalls;
  const surfaces = ofType('AWS::Lambda::Permission')
    .filter(({ properties }) => isFor(properties, 'apigateway'))
    .map(({ properties }) => JSON.stringify(properties.FunctionName));
  const apiMin = new Set(surfaces).size;
  const limits = ofType('AWS::ApiGateway::Stage').flatMap(({ properties }): number[] =>
    properties.MethodSettings.map(({ ThrottlingRateLimit }: any) => ThrottlingRateLimit),
  );
  const apiMax = requestsAtOnce({ apiRequestsPerSecond: Math.max(...limits) });
  return { toDeploy: besideTheApi + apiMin, atMost: besideTheApi + Math.max(apiMin, apiMax) };
}

function isFor({ Principal }: any, service: string): boolean {
  return String(Principal).startsWith(`${service}.`);
}

/**
 * EC2 names the sizes of g types by their vCPU: xlarge has 4, 2xlarge has 8, and so on.
 * https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html
 */
export function vcpusOfMachine(type: string): number {
  const [, times] = /\.(\d*)xlarge$/.exec(type) ?? [];
  if (times === undefined) throw new Error(`${type}: its number of vCPU is unknown`);
  return 4 * Number(times || 1);
}
