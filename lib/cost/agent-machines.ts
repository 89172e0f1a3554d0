// What the containers run on: how many there are at least, and what an hour of one costs.
import { hoursPerMonth, listed, machines, standing, volumeGiB } from './list-prices.ts';
import { neighbours, referred, type StageResource } from './stage-resources.ts';

/** Tasks that a service has when nothing is on air. */
export function tasksAtLeast(service: StageResource): number {
  const scaling = neighbours(service, 'AWS::ApplicationAutoScaling::ScalableTarget').find(({ properties }) =>
    JSON.stringify(properties.ResourceId).includes(`"${service.id}"`),
  );
  return Number(scaling ? scaling.properties.MinCapacity : (service.properties.DesiredCount ?? 1));
}

/** The group of machines that a service's tasks are placed on; null on Fargate. */
export function groupOf(service: StageResource): StageResource | null {
  const [strategy] = service.properties.CapacityProviderStrategy ?? [];
  if (!strategy) return null;
  const provider = referred(service, strategy.CapacityProvider);
  return referred(provider, provider.properties.AutoScalingGroupProvider.AutoScalingGroupArn);
}

/** Machines that a group has when nothing is on air: a task that asks for a GPU has one to itself. */
export function machinesAtLeast(group: StageResource): number {
  const placed = neighbours(group, 'AWS::ECS::Service').filter((service) => groupOf(service)?.id === group.id);
  const tasks = placed.reduce((sum, service) => sum + tasksAtLeast(service), 0);
  return Math.max(Number(group.properties.MinSize), tasks);
}

/** Type of a group's machines, and dollars an hour for one with its disks. */
export function machineOf(group: StageResource): { readonly type: string; readonly usdPerHour: number } {
  const { InstanceType: type, BlockDeviceMappings = [] } = referred(
    group,
    group.properties.LaunchTemplate.LaunchTemplateId,
  ).properties.LaunchTemplateData;
  const disks = BlockDeviceMappings.map(({ Ebs }: any) => Ebs.VolumeSize * listed(volumeGiB, Ebs.VolumeType).usd);
  const disksPerMonth = disks.reduce((sum: number, usd: number) => sum + usd, 0);
  return { type, usdPerHour: listed(machines, type).usd + disksPerMonth / hoursPerMonth };
}

/** Size of a service's Fargate task on arm64, and dollars an hour for one. */
export function fargateTaskOf(service: StageResource): {
  readonly vcpus: number;
  readonly memoryGB: number;
  readonly usdPerHour: number;
} {
  const { Cpu, Memory, RuntimePlatform } = referred(service, service.properties.TaskDefinition).properties;
  if (RuntimePlatform?.CpuArchitecture !== 'ARM64')
    throw new Error(`${service.id}: lib/cost/list-prices.ts has Fargate's prices for arm64 only`);
  const vcpus = Number(Cpu) / 1024;
  const memoryGB = Number(Memory) / 1024;
  return { vcpus, memoryGB, usdPerHour: vcpus * standing.fargateArmVcpu.usd + memoryGB * standing.fargateArmGB.usd };
}
