// The addresses of subnets: those of an added zone are in the upper half of the network, behind all others.
// Decision D193.
import { IpAddresses } from 'aws-cdk-lib/aws-ec2';
import type {
  AllocateCidrRequest,
  AllocatedSubnet,
  IIpAddresses,
  SubnetIpamOptions,
  VpcIpamOptions,
} from 'aws-cdk-lib/aws-ec2';
import type { StageSettings } from '../stage-settings.ts';

/**
 * Addresses of a network that may get another zone while it is in use. The CDK allots them in turn, by role and then by
 * zone, so it would move the subnets of most roles. The subnets of three zones need less than half of the network.
 */
export class StageAddresses implements IIpAddresses {
  readonly #addedZone: string | null;
  readonly #network: IIpAddresses;
  readonly #upperHalf: IIpAddresses;

  constructor({ vpcCidr, addedAvailabilityZone }: Pick<StageSettings, 'vpcCidr' | 'addedAvailabilityZone'>) {
    this.#addedZone = addedAvailabilityZone;
    this.#network = IpAddresses.cidr(vpcCidr);
    this.#upperHalf = IpAddresses.cidr(upperHalfOf(vpcCidr));
  }

  allocateVpcCidr(): VpcIpamOptions {
    return this.#network.allocateVpcCidr();
  }

  allocateSubnetsCidr(input: AllocateCidrRequest): SubnetIpamOptions {
    const allotted = new Map<string, AllocatedSubnet>();
    const isAdded = ({ availabilityZone }: { readonly availabilityZone: string }) =>
      availabilityZone === this.#addedZone;
    for (const [addresses, requestedSubnets] of [
      [this.#network, input.requestedSubnets.filter((subnet) => !isAdded(subnet))],
      [this.#upperHalf, input.requestedSubnets.filter(isAdded)],
    ] as const) {
      const { allocatedSubnets } = addresses.allocateSubnetsCidr({ ...input, requestedSubnets });
      for (const [index, subnet] of allocatedSubnets.entries())
        allotted.set(requestedSubnets[index]!.subnetConstructId, subnet);
    }
    return { allocatedSubnets: input.requestedSubnets.map(({ subnetConstructId: id }) => allotted.get(id)!) };
  }
}

/** The upper half of a network, such as `10.0.128.0/17` of `10.0.0.0/16`. */
function upperHalfOf(cidr: string): string {
  const [address = '', bits = ''] = cidr.split('/');
  const half = Number(bits) + 1;
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + 2 ** (32 - half);
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256);
  return `${parts.join('.')}/${half}`;
}
