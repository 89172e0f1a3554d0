// What the containers run on: how many machines and tasks there are at least, and what an hour of one costs.
import { hoursPerMonth, listed, machines, standing, volumeGiB } from './list-prices.ts';
import { neighbours, referred, type StageResource } from './stage-resources.ts';

/** How many tasks a service has while nothing is on air. */
export function tasksAtLeast(service: StageResource): number {
  const targets = neighbours(service, 'AWS::ApplicationAutoScaling::ScalableTarget');
  const scaled = targets.find(({ properties }) => JSON.stringify(properties.ResourceId).includes(`"${service.id}"`));
  return Number(scaled ? scaled.properties.MinCapacity : (service.properties.DesiredCount ?? 1));
}

/** The group of machines that the tasks of a service run on; null for a service on Fargate. */
export function groupOf(service: StageResource): StageResource | null {
  const [strategy] = service.properties.CapacityProviderStrategy ?? [];
  if (!strategy) return null;
  const provider = referred(service, strategy.CapacityProvider);
  return referred(provider, provider.properties.AutoScalingGroupProvider.AutoScalingGroupArn);
}

/** How many machines a group has while nothing is on air. Each of its tasks wants a GPU, and so a whole machine. */
export function machinesAtLeast(group: StageResource): number {
  const placed = neighbours(group, 'AWS::ECS::Service').filter((service) => groupOf(service)?.id === group.id);
  const tasks = placed.reduce((sum, service) => sum + tasksAtLeast(service), 0);
  return Math.max(Number(group.properties.MinSize), tasks);
}

/** What an agent's machine or task has, and US dollars for an hour of it. */
export interface AgentMachine {
  readonly vcpus: number;
  readonly memoryGB: number;
  readonly usdPerHour: number;
}

/** The EC2 type of a group's machines, and one of them with its disks. */
export function machineOf(group: StageResource): AgentMachine & { readonly type: string } {
  const template = referred(group, group.properties.LaunchTemplate.LaunchTemplateId);
  const { InstanceType: type, BlockDeviceMappings: disks = [] } = template.properties.LaunchTemplateData;
  const usdPerMonthOfDisks = disks.reduce(
    (sum: number, { Ebs }: any) => sum + Ebs.VolumeSize * listed(volumeGiB, Ebs.VolumeType).usd,
    0,
  );
  // Machines of the g family have 4 vCPU for each of the `x` in their type, and 4 GiB for each vCPU.
  const [, times = ''] = /\.(\d*)xlarge$/.exec(type) ?? [];
  const vcpus = 4 * Number(times || 1);
  const usdPerHour = listed(machines, type).usd + usdPerMonthOfDisks / hoursPerMonth;
  return { type, vcpus, memoryGB: 4 * vcpus, usdPerHour };
}

/** The size of a service's task on Fargate, and US dollars for an hour of one. @throws if it is not for arm64 */
export function fargateTaskOf(service: StageResource): AgentMachine {
  const { Cpu, Memory, RuntimePlatform } = referred(service, service.properties.TaskDefinition).properties;
  if (RuntimePlatform?.CpuArchitecture !== 'ARM64')
    throw new Error(`${service.id}: lib/cost/list-prices.ts has Fargate's prices for arm64 only`);
  const vcpus = Number(Cpu) / 1024;
  const memoryGB = Number(Memory) / 1024;
  return { vcpus, memoryGB, usdPerHour: vcpus * standing.fargateArmVcpu.usd + memoryGB * standing.fargateArmGB.usd };
}
