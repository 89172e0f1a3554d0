// Cost of a stream for the machine that sends it, and capacity of a machine. No other file defines either.
// Costs are in cores of the machine that they were measured on; `Machine.speed` translates them to other machines.
import { isSound } from '../playout/rendition.ts';
import type { RenditionFormat } from '../playout/rendition.ts';
import { parsePublishURL } from '../destinations/publish-url.ts';
import { ways } from '../destinations/ways/ways.ts';
import { pixelsOfDecodeCost } from '../media/source-limits.ts';
import { framesPerSecond, videoBitrateKbps } from '../shared/video-format.ts';
import type { Framerate, Quality, VideoCodec } from '../shared/video-format.ts';

/** Use of an agent by one replica while it is on air. */
export interface StreamCost {
  /** Cores, if the processor encodes the pictures. */
  readonly cores: number;
  /** Cores, if a GPU encodes the pictures. */
  readonly coresBesideGpu: number;
  /** Share of the agent's one sending thread. */
  readonly thread: number;
  readonly memoryMiB: number;
  /** Through the machine's network, with the headers of packets. */
  readonly networkMbps: number;
  /** Million pixels a second that a GPU encodes, if there is one. */
  readonly gpuMegapixels: number;
}

export const costNames = ['cores', 'coresBesideGpu', 'thread', 'memoryMiB', 'networkMbps', 'gpuMegapixels'] as const;

/** Part of its machine that an agent may use. */
export interface Capacity {
  readonly cores: number;
  readonly thread: number;
  readonly memoryMiB: number;
  /** Null if unknown; the network is then no limit. */
  readonly networkMbps: number | null;
  /** Million pixels a second that the GPU encodes; 0 without one. */
  readonly gpuMegapixels: number;
}

export interface StreamToSend {
  readonly backend: 'ffmpeg' | 'manifest';
  readonly quality: Quality;
  readonly framerate: Framerate;
  readonly videoCodec: VideoCodec;
  /** Whether sound comes from a track of its own. */
  readonly hasSoundTrack: boolean;
  readonly isEncodedForAnother?: boolean; // by an encoder of the same stream, so that it is only sent
  /** Address of its destination; null if unknown yet. */
  readonly url: string | null;
  /**
   * Cost of decoding its most expensive source, from `decodeCost` in source-limits.ts. Null or absent if unknown: the
   * source then counts as one of the stream's size.
   */
  readonly decodeCost?: number | null;
}

const pixels: Readonly<Record<Quality, number>> = {
  q_720p: 1280 * 720,
  q_1080p: 1920 * 1080,
  q_1440p: 2560 * 1440,
  q_2160p: 3840 * 2160,
};
const audioMbps = 0.16;
/** A full packet of 1,500 bytes carries 1,448 bytes of RTMP. */
export const packetOverhead = 1500 / 1448;

/** Cost of sending. `npm run bench -- platform` measures the part of a stream and of each megabit. */
const sending = {
  thread: 0.0001,
  threadPerMbps: 0.00008,
  threadPerMbpsOfTls: 0.0002,
  memoryMiB: 1,
  memoryPerMbps: 0.3,
};
/**
 * Cost of encoding by x264 `veryfast`, with scaling, and of the stream's sound and pipes. `textsMemoryMiB` is for texts
 * that are drawn over the pictures: forty captions of 1080p, each as long as it may be.
 */
const encoding = {
  coresPerMegapixel: 0.0125,
  cores: 0.06,
  thread: 0.015,
  memoryMiB: 120,
  memoryPerMegapixel: 2,
  textsMemoryMiB: 550,
};
/** With a GPU, the processor scales pictures and copies them to the GPU. */
const scalingCoresPerMegapixel = 0.002;
const decodingCoresPerMegapixel = 0.003;

/** Decoding speed of a source, as a multiple of real time: an item may begin far behind a keyframe. */
const decodingHeadroom = 3;
/** Decode cost assumed for a source that was never probed: that of 2160p60. */
const unknownDecodeCost = 18;

/** Number of threads that may decode a source's pictures while they are sent. @param decodeCost null if unknown */
export function decodingThreads(decodeCost: number | null): number {
  const megapixels = pixelsOfDecodeCost(decodeCost ?? unknownDecodeCost) / 1e6;
  return 1 + Math.ceil(decodingHeadroom * megapixels * decodingCoresPerMegapixel);
}

export function costOf(stream: StreamToSend): StreamCost {
  const { backend, quality, framerate, videoCodec, hasSoundTrack, url } = stream;
  const mbps = videoBitrateKbps(quality, framerate, videoCodec) / 1000 + audioMbps;
  const megapixels = (pixels[quality] * framesPerSecond[framerate]) / 1e6;
  const server = url === null ? null : parsePublishURL(url);
  const ofWay = ways[server?.way ?? 'rtmp'].cost;
  const sends =
    sending.thread +
    mbps * (sending.threadPerMbps + ofWay.threadPerMbps + (server?.secure ? sending.threadPerMbpsOfTls : 0));
  const common = {
    memoryMiB: sending.memoryMiB + mbps * (sending.memoryPerMbps + ofWay.memoryPerMbps),
    networkMbps: server && isThisMachine(server.hostname) ? 0 : mbps * packetOverhead,
  };
  if (backend === 'manifest' || stream.isEncodedForAnother) {
    // Sound of its own is inserted between prepared pictures, picture by picture.
    const thread = hasSoundTrack && !stream.isEncodedForAnother ? 2 * sends : sends;
    return { ...common, cores: thread, coresBesideGpu: thread, thread, gpuMegapixels: 0 };
  }
  const { decodeCost = null } = stream;
  const megapixelsOfSource = decodeCost === null ? megapixels : pixelsOfDecodeCost(decodeCost) / 1e6;
  const decoding = megapixelsOfSource * decodingCoresPerMegapixel;
  const thread = encoding.thread + mbps * ofWay.threadPerMbps;
  const besides = decoding + encoding.cores + thread;
  return {
    cores: besides + megapixels * encoding.coresPerMegapixel,
    coresBesideGpu: besides + megapixels * scalingCoresPerMegapixel,
    thread,
    memoryMiB:
      common.memoryMiB + encoding.memoryMiB + encoding.textsMemoryMiB + megapixels * encoding.memoryPerMegapixel,
    networkMbps: common.networkMbps,
    gpuMegapixels: megapixels,
  };
}

/**
 * The decode cost of sources that the cost of an encoded stream includes: the reverse of `costOf`. Null if the stream
 * is only sent.
 */
export function sourceCostIn(
  { coresBesideGpu, thread }: Pick<StreamCost, 'coresBesideGpu' | 'thread'>,
  { quality, framerate }: Pick<StreamToSend, 'quality' | 'framerate'>,
): number | null {
  if (coresBesideGpu - thread < encoding.cores / 2) return null;
  const megapixels = (pixels[quality] * framesPerSecond[framerate]) / 1e6;
  const decoding = coresBesideGpu - encoding.cores - thread - megapixels * scalingCoresPerMegapixel;
  return (1e6 * decoding) / decodingCoresPerMegapixel / pixelsOfDecodeCost(1);
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '::1' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** A machine, as measured or by its type. */
export interface Machine extends Omit<Capacity, 'thread'> {
  /** Encoding speed of one core, relative to the machine that costs were measured on. */
  readonly speed: number;
}

/** Part of a machine that streams may take. The rest is for its system, joins and sudden changes. */
const usableFraction = { cores: 0.9, thread: 0.7, memory: 0.8, network: 0.9 } as const;
/** Memory of an agent without streams: the process, and the media that all prepared streams share. */
const agentMemoryMiB = 800;

/**
 * Memory for software encoding: 20 % more than SVT-AV1 uses at 2160p60 on two cores. Encoders start threads for further
 * cores, each with pictures of its own.
 */
export function preparingMemoryMiB(cores: number): number {
  return Math.ceil(1.2 * 2458) + 256 * Math.max(0, cores - 2);
}

/**
 * Capacity of each of several agents on a machine. Each has a thread of its own.
 * @param agents number of agents that share the machine
 */
export function capacityOf(machine: Machine, agents = 1): Capacity {
  const { cores, speed, memoryMiB, networkMbps, gpuMegapixels } = machine;
  return {
    cores: (usableFraction.cores * cores * speed) / agents,
    thread: Math.min(1, cores) * usableFraction.thread * speed,
    memoryMiB: Math.max(0, (usableFraction.memory * memoryMiB) / agents - agentMemoryMiB),
    networkMbps: networkMbps === null ? null : (usableFraction.network * networkMbps) / agents,
    gpuMegapixels: gpuMegapixels / agents,
  };
}

/**
 * Memory of an agent that fills a machine with the smallest prepared streams, which need the most memory for their
 * bitrate. Such an agent prepares nothing (`takesMedia` in lanes.ts).
 */
export function memoryToFill(machine: Omit<Machine, 'memoryMiB'>): number {
  const cost = costOf({ ...smallest, backend: 'manifest', url: 'rtmps://another-machine/live' });
  const streams = 1 / shareOf(cost, capacityOf({ ...machine, memoryMiB: Infinity }));
  return (agentMemoryMiB + streams * cost.memoryMiB) / usableFraction.memory;
}

const largest = {
  backend: 'ffmpeg',
  quality: 'q_2160p',
  framerate: 'f_60',
  videoCodec: 'h264',
  hasSoundTrack: false,
  url: null,
} as const;

/**
 * Number of agents worth running on a machine. Each adds a sending thread, but takes memory and a part of the cores.
 * One thread carries thousands of streams, so there are several only if each could encode the largest stream.
 * @param most the maximum
 */
export function agentsOn(machine: Machine, most: number): number {
  let agents = 1;
  while (agents < most && shareOf(costOf(largest), capacityOf(machine, agents + 1)) <= 1) agents++;
  return agents;
}

/** Number of agents that a machine has the memory for, each with room for an encoder. One runs on any machine. */
export function agentsInMemory({ memoryMiB }: Pick<Machine, 'memoryMiB'>): number {
  return Math.max(1, Math.floor((usableFraction.memory * memoryMiB) / (agentMemoryMiB + encoding.memoryMiB)));
}

/** Growth of an agent's share by each cost, in the order of `costNames`; 0 for a cost that does not matter. */
export function weightsOf(capacity: Capacity): number[] {
  const { cores, thread, memoryMiB, networkMbps, gpuMegapixels } = capacity;
  const hasGpu = gpuMegapixels > 0;
  return [
    hasGpu ? 0 : 1 / cores,
    hasGpu ? 1 / cores : 0,
    1 / thread,
    1 / memoryMiB,
    networkMbps === null ? 0 : 1 / networkMbps,
    hasGpu ? 1 / gpuMegapixels : 0,
  ];
}

/**
 * Share of an agent that a stream occupies: the largest of its shares of each cost. Streams whose shares add up to 1 at
 * most can be sent together.
 */
export function shareOf(cost: StreamCost, capacity: Capacity): number {
  const weights = weightsOf(capacity);
  return Math.max(...costNames.map((name, index) => cost[name] * weights[index]!));
}

/** Free part of an agent. */
export interface Room {
  readonly weights: readonly number[];
  /** Free share. */
  readonly share: number;
  /** Maximum number of streams that could fit. */
  readonly streams: number;
}

const smallest = {
  quality: 'q_720p',
  framerate: 'f_24',
  videoCodec: 'h264',
  hasSoundTrack: false,
  url: 'rtmp://localhost/live',
  decodeCost: 0,
} as const;
/** A maximum for each claim, so that agents which claim at the same time all find replicas. */
const mostStreamsAtOnce = 500;

/** @param usedShare sum of the shares of the replicas that the agent holds */
export function roomOf(capacity: Capacity, usedShare: number, backends: readonly StreamToSend['backend'][]): Room {
  const share = Math.max(0, 1 - usedShare);
  const leastShare = Math.min(...backends.map((backend) => shareOf(costOf({ ...smallest, backend }), capacity)));
  return {
    weights: weightsOf(capacity),
    share,
    streams: Math.min(mostStreamsAtOnce, Math.floor(share / leastShare)),
  };
}

/** Sending thread of a slot: an agent has room for twenty. One over SRT takes much of a thread and few cores. */
const threadPerSlot = usableFraction.thread / 20;

/**
 * Slots that a replica counts in its user's limit: its cores in those of an encoded 720p30 stream, or its sending
 * thread in parts of an agent's, the larger of both.
 */
export function slotsOfCost({ cores, thread }: StreamCost): number {
  return Math.max(cores / costOfSlot('ffmpeg').cores, thread / threadPerSlot);
}

/** Preparing sound alone is about an eighth of the work of 720p30 pictures with their sound. */
const slotsOfSound = 0.12;

/**
 * Work for a second in this format, relative to a second in 720p30. On a machine with a GPU, which takes 18 such
 * seconds in one, decoding takes longer for large sources: a second with pictures counts as its decode cost at least.
 */
export function slotsOfPreparing(format: RenditionFormat): number {
  if (isSound(format)) return slotsOfSound;
  return slotsOfCost(costOf({ ...format, backend: 'ffmpeg', hasSoundTrack: false, url: null }));
}

/** Cost of a stream in 720p30. That of an encoded stream is a slot, the unit of limits. */
export function costOfSlot(backend: StreamToSend['backend']): StreamCost {
  return costOf({
    backend,
    quality: 'q_720p',
    framerate: 'f_30',
    videoCodec: 'h264',
    hasSoundTrack: false,
    url: null,
  });
}
