// What a machine in the place of a NAT gateway costs, with its disk.
import { hoursPerMonth, listed, natMachines, volumeGiB } from './list-prices.ts';
import type { StageResource } from './stage-resources.ts';

export function natMachineUsdPerMonth({ properties }: StageResource): number {
  const { InstanceType, BlockDeviceMappings: disks } = properties;
  return disks.reduce(
    (sum: number, { Ebs }: any) => sum + listed(volumeGiB, Ebs.VolumeType).usd * Ebs.VolumeSize,
    listed(natMachines, InstanceType).usd * hoursPerMonth,
  );
}
