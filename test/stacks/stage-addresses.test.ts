// Addresses of subnets: an added zone moves no other subnet.
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { NetworkStack } from '../../lib/network/network-stack.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { testApp } from '../support/synth.ts';

interface Block {
  readonly first: number;
  readonly last: number;
}

/** The addresses of each subnet of the network, by logical id. */
function subnetsOf(settings: Partial<StageSettings>): ReadonlyMap<string, string> {
  const stack: Stack = new NetworkStack(testApp(), 'Network', { settings: { ...stages.dev, ...settings } });
  const subnets = Object.entries(Template.fromStack(stack).findResources('AWS::EC2::Subnet'));
  return new Map(subnets.map(([id, { Properties: properties }]) => [id, properties.CidrBlock as string]));
}

function blockOf(cidr: string): Block {
  const [address = '', bits] = cidr.split('/');
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return { first, last: first + 2 ** (32 - Number(bits)) - 1 };
}

test.each(['10.0.0.0/16', '172.20.128.0/18', '192.168.240.0/20'])(
  'the subnets of an added zone are in %s, apart from those that stay as they are',
  (vpcCidr) => {
    const before = subnetsOf({ vpcCidr });
    const after = subnetsOf({ vpcCidr, addedAvailabilityZone: 'us-east-1c' });
    expect(before.size).toBe(6);
    expect(after.size).toBe(9);
    for (const [id, cidr] of before) expect(after.get(id)).toBe(cidr);
    const network = blockOf(vpcCidr);
    const blocks = [...after.values()].map(blockOf).toSorted((a, b) => a.first - b.first);
    expect(blocks[0]!.first).toBe(network.first);
    expect(blocks.at(-1)!.last).toBeLessThanOrEqual(network.last);
    for (const [index, { last }] of blocks.slice(0, -1).entries()) expect(last).toBeLessThan(blocks[index + 1]!.first);
  },
);
