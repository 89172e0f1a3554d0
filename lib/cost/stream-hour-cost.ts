// What an hour of a stream costs on each backend (compute and egress apart), and what it is sold for.
import { capacityOf, packetOverhead, shareOf } from '../../lambda/domain/fleet/capacity.ts';
import type { Capacity, StreamCost } from '../../lambda/domain/fleet/capacity.ts';
import { fargateTaskOf, groupOf, machineOf } from './agent-machines.ts';
import { egressTiers, standing } from './list-prices.ts';
import { neighbours, referred, resourcesOf, type StageResource, type Template } from './stage-resources.ts';

/** A kind of stream that can be bought: a quality at a framerate. */
export interface StreamKind {
  /** Its name in the table, such as `1080p60`. */
  readonly name: string;
  /** The bitrate of video and audio together. */
  readonly bitrateKbps: number;
  /** What it takes of an agent. */
  readonly costs: Readonly<Record<Backend, StreamCost>>;
  /** What a user pays for an hour. A credit is a US cent. */
  readonly creditsPerHour: number;
}

export type Backend = 'ffmpeg' | 'manifest';

export interface StreamHourCost {
  readonly name: string;
  readonly usdSoldFor: number;
  readonly gigabytes: number;
  /** At the first and at the last price tier of traffic. */
  readonly usdEgress: { readonly dearest: number; readonly cheapest: number };
  /** The price of the part of an agent that it takes. Null: it takes more than an agent of the stage has. */
  readonly usdCompute: Readonly<Record<Backend, number | null>>;
}

const bytesPerGB = 1e9;

/** @param templates of all stacks of the stage whose agents carry the streams */
export function streamHourCosts(kinds: readonly StreamKind[], templates: readonly Template[]): StreamHourCost[] {
  const agents = { ffmpeg: agentOf('ffmpeg', templates), manifest: agentOf('manifest', templates) };
  return kinds.map(({ name, bitrateKbps, costs, creditsPerHour }) => {
    // The headers of IPv4 and TCP are billed too.
    const gigabytes = ((bitrateKbps * 1000) / 8) * 3600 * (packetOverhead / bytesPerGB);
    const prices = egressTiers.map(({ price }) => price.usd);
    const computeOn = (backend: Backend): number | null => {
      const share = shareOf(costs[backend], agents[backend].capacity);
      return share > 1 ? null : share * agents[backend].usdPerHour;
    };
    return {
      name,
      usdSoldFor: creditsPerHour / 100,
      gigabytes,
      usdEgress: { dearest: gigabytes * Math.max(...prices), cheapest: gigabytes * Math.min(...prices) },
      usdCompute: { ffmpeg: computeOn('ffmpeg'), manifest: computeOn('manifest') },
    };
  });
}

/**
 * What one agent has, and US dollars for an hour of all of it in use. That price contains the part that the scaling
 * keeps free.
 */
export function agentOf(
  backend: Backend,
  templates: readonly Template[],
): { readonly capacity: Capacity; readonly usedFraction: number; readonly usdPerHour: number } {
  const service = resourcesOf(templates).find(
    (resource) => resource.type === 'AWS::ECS::Service' && runs(resource, backend),
  );
  if (!service) throw new Error(`no service of the stage runs ${backend} agents`);
  const network = variableOf(service, 'AGENT_NETWORK_MBPS');
  const group = groupOf(service);
  const machine = group === null ? fargateTaskOf(service) : machineOf(group);
  const usdPerHour = machine.usdPerHour + standing.publicAddress.usd;
  const capacity = capacityOf({
    cores: machine.vcpus,
    // Agents measure how fast their machine is. Before, it counts as fast as the one that costs were measured on.
    speed: 1,
    memoryMiB: 1024 * machine.memoryGB,
    networkMbps: network ? Number(network) : null,
    gpuMegapixels: Number(variableOf(service, 'AGENT_GPU_MEGAPIXELS')),
  });
  const usedFraction = usedFractionOf(service, backend);
  return { capacity, usedFraction, usdPerHour: usdPerHour / usedFraction };
}

/** An agent in the place of machines runs both; where machines encode, those of `ffmpeg` are meant. */
function runs(service: StageResource, backend: Backend): boolean {
  return variableOf(service, 'AGENT_BACKENDS')?.split(',').includes(backend) ?? false;
}

function variableOf(service: StageResource, name: string): string | undefined {
  const { ContainerDefinitions } = referred(service, service.properties.TaskDefinition).properties;
  return ContainerDefinitions[0].Environment.find((variable: { Name: string }) => variable.Name === name)?.Value;
}

/** The fraction of a service's agents that its scaling policy wants in use. It stands in the policy's expression. */
function usedFractionOf(service: StageResource, backend: Backend): number {
  const policies = neighbours(service, 'AWS::ApplicationAutoScaling::ScalingPolicy').filter((policy) =>
    JSON.stringify(referred(policy, policy.properties.ScalingTargetId).properties.ResourceId).includes(service.id),
  );
  for (const { properties } of policies) {
    const [, fraction] = /\(used \/ ([\d.]+) \+/.exec(JSON.stringify(properties)) ?? [];
    if (fraction !== undefined) return Number(fraction);
  }
  // Where a machine comes for each stream that waits, none is kept free.
  if (policies.some(({ properties }) => properties.PolicyType === 'StepScaling')) return 1;
  throw new Error(`no scaling policy says how much of the ${backend} agents may be in use`);
}
