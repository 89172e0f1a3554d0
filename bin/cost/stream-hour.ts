// The price of an hour of a stream on each backend, egress and compute separately, and its selling price.
import { priceOf, priceTables } from '../../lambda/domain/billing/credits.ts';
import { capacityOf, costOf, packetOverhead, shareOf } from '../../lambda/domain/fleet/capacity.ts';
import { framesPerSecond, qualities, type Framerate, type Quality } from '../../lambda/domain/shared/video-format.ts';
import { audioFormat, profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import { encodesOnFargate } from '../../lib/idle-settings.ts';
import { gpuMachineDiskGiB } from '../../lib/publishing/gpu-pool.ts';
import { targetUsedFraction } from '../../lib/publishing/capacity-scaling.ts';
import { encodingTaskSize, preparedTaskSize } from '../../lib/publishing/task-sizes.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { egressTiers, listed, machines, monthly, perHour, volumes } from './prices.ts';

type Backend = 'ffmpeg' | 'manifest';

export interface StreamHour {
  /** Quality and frames per second, such as `1080p60`. */
  readonly name: string;
  readonly usdSoldFor: number;
  readonly gigabytes: number;
  /** At the first and at the last price tier of traffic. */
  readonly usdEgress: { readonly dearest: number; readonly cheapest: number };
  /** The price of the stream's share of an agent. Null: it exceeds the capacity of the stage's agents. */
  readonly usdCompute: Readonly<Record<Backend, number | null>>;
}

/**
 * Each quality at 30 and at 60 frames per second, at the newest prices, over TLS as most platforms require. 24 and 25
 * frames per second cost as much as 30.
 */
export function streamHours(settings: StageSettings): StreamHour[] {
  const newest = new Date(priceTables.at(-1)!.effectiveFrom);
  const agents = agentsOf(settings);
  const usdPerGB = egressTiers.map(([, usd]) => usd);
  return qualities.flatMap((quality) =>
    (['f_30', 'f_60'] as const).map((framerate) => {
      const profile = profileOf({ quality, framerate, videoCodec: 'h264' });
      const bitsPerSecond = (profile.videoBitrateKbps + audioFormat.bitrateKbps) * 1000;
      // The headers of IPv4 and TCP are billed too.
      const gigabytes = ((bitsPerSecond / 8) * 3600 * packetOverhead) / 1e9;
      const compute = (backend: Backend) => {
        const share = shareOf(costOn(backend, quality, framerate), agents[backend].capacity);
        return share > 1 ? null : share * agents[backend].usdPerHour;
      };
      return {
        name: `${quality.slice(2)}${framesPerSecond[framerate]}`,
        // A credit is a US cent.
        usdSoldFor: priceOf({ role: 'primary', quality, framerate }, newest).creditsPerHour / 100,
        gigabytes,
        usdEgress: { dearest: gigabytes * Math.max(...usdPerGB), cheapest: gigabytes * Math.min(...usdPerGB) },
        usdCompute: { ffmpeg: compute('ffmpeg'), manifest: compute('manifest') },
      };
    }),
  );
}

function costOn(backend: Backend, quality: Quality, framerate: Framerate) {
  const url = 'rtmps://ingest.example/live';
  return costOf({ backend, quality, framerate, videoCodec: 'h264', hasSoundTrack: false, url });
}

/**
 * The capacity of an agent of each backend, and its price per hour, including the spare capacity of the scaling. Agents
 * measure the speed of their machine; here it is the speed of the machine on which costs were measured.
 */
function agentsOf(settings: StageSettings) {
  const { gpuInstanceType, gpuMegapixels, manifestAgentNetworkMbps: networkMbps } = settings;
  const machine = listed(machines, gpuInstanceType);
  const { cpu, memoryLimitMiB: memoryMiB } = encodesOnFargate(settings) ? encodingTaskSize : preparedTaskSize(settings);
  const cores = cpu / 1024;
  const usdOfMachine = machine.usd + gpuMachineDiskGiB * listed(volumes, 'gp3');
  const usdOfTask = cores * monthly.fargateArmVcpu + (memoryMiB / 1024) * monthly.fargateArmGB;
  const usdPerHour = (usd: number, usedFraction: number) => perHour(usd + monthly.publicAddress) / usedFraction;
  return {
    ffmpeg: {
      capacity: capacityOf({
        cores: machine.vcpus,
        speed: 1,
        memoryMiB: machine.GiB * 1024,
        networkMbps: null,
        gpuMegapixels,
      }),
      // If a machine is started for each waiting stream, none is kept spare.
      usdPerHour: usdPerHour(usdOfMachine, encodesOnFargate(settings) ? 1 : targetUsedFraction),
    },
    manifest: {
      capacity: capacityOf({ cores, speed: 1, memoryMiB, networkMbps, gpuMegapixels: 0 }),
      usdPerHour: usdPerHour(usdOfTask, targetUsedFraction),
    },
  };
}
