// An agent's streams for soaks, as a process: some to an honest ingest, the others to faulty destinations.
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { targetAt } from '../../lambda/publisher/destination/publishing-ways.ts';
import { SegmentStore } from '../../lambda/publisher/prepared/segment-store.ts';
import { SendSchedule } from '../../lambda/publisher/prepared/send-schedule.ts';
import { preparedMedia } from '../../lambda/publisher/prepared/prepared-media.ts';
import { ConnectionTurns } from '../../lambda/publisher/replica/connection-turns.ts';
import { HeldReplica } from '../../lambda/publisher/replica/held-replica.ts';
import { DeliveryMeter } from '../../lambda/publisher/rtmp/delivery-meter.ts';
import { item, timelineOf } from '../publisher/prepared/prepared-clips.ts';
import { objectsOf, syntheticSegments } from '../publisher/prepared/synthetic-renditions.ts';
import { replicaRow, roomyAgent } from '../publisher/replica/replica-row.ts';

export interface HostileAgentOptions {
  /** URL and stream key of each stream. */
  readonly targets: readonly (readonly [url: string, streamKey: string])[];
  /** Whether these are the outputs of one stream, instead of streams of different users. */
  readonly areOutputs?: boolean;
  /** Size of each picture; by default that of 4 Mbit/s. */
  readonly pictureBytes?: number;
  /** Certificate of the destinations. */
  readonly tlsCa?: string;
}

export interface HostileAgentFigures {
  /** Delay of the event loop, since the previous figures. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly residentMiB: number;
  /** Reachable memory: of the heap, and of buffers outside of it. */
  readonly heapMiB: number;
  readonly buffersMiB: number;
  /** By the stream key: dropped pictures, and lost connections. */
  readonly streams: Readonly<Record<string, { readonly droppedFrames: number; readonly reconnects: number }>>;
  /** The number of ended connections, by the code of the reason. */
  readonly ends: Readonly<Record<string, number>>;
}

const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;
const sampledEveryMs = 5;
const steadyClock = () => performance.now();
const srt = { passphrase: null, latencyMs: 120, streamID: null };

function begin({
  targets,
  areOutputs = false,
  pictureBytes = 16_000,
  tlsCa,
}: HostileAgentOptions): () => HostileAgentFigures {
  const loop = item('a', 10);
  const objects = objectsOf(syntheticSegments([loop], format, pictureBytes));
  const contentHashes = new Map([[loop.uploadID, loop.uploadID]]);
  const loadTimelines = async () => ({
    video: { entries: timelineOf(loop), contentHashes },
    audio: { entries: [], contentHashes },
  });
  const media = preparedMedia({
    store: new SegmentStore({ objects, maxCachedBytes: 64 * 1024 * 1024 }),
    schedule: new SendSchedule(steadyClock),
    format,
    loadTimelines,
    currentTimelines: loadTimelines,
    onLost: () => {},
    log: () => {},
  });
  const turns = new ConnectionTurns();
  const meter = new DeliveryMeter();
  const client = {
    allowPrivateAddresses: true,
    connectTimeoutMs: 10_000,
    meter,
    ...(tlsCa !== undefined && { tlsCa }),
  };
  const ends: Record<string, number> = {};
  const stream: { anchoredMs: number | null } = { anchoredMs: null };
  const replicas = targets.map(([url, streamKey]) => {
    const run = areOutputs ? stream : { anchoredMs: null as number | null };
    const replica = new HeldReplica({
      ...roomyAgent(),
      replica: replicaRow('manifest'),
      share: 0.02,
      turns,
      loadPlan: async () => ({
        userID: areOutputs ? 'usr' : streamKey,
        target: targetAt(url, { streamKey, srt }),
        freeTarget: null,
        media,
        elapsedMs: run.anchoredMs === null ? null : steadyClock() - run.anchoredMs,
      }),
      anchor: async () => steadyClock() - (run.anchoredMs ??= steadyClock()),
      client,
      report: async () => true,
      steadyClock,
      random: Math.random,
      log: (event, { code }) => {
        if (event === 'session_ended') ends[String(code)] = (ends[String(code)] ?? 0) + 1;
      },
    });
    return [streamKey, replica] as const;
  });
  const delay = monitorEventLoopDelay({ resolution: sampledEveryMs });
  delay.enable();
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  return () => {
    // The time between two samples is counted as well.
    const ms = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e5 - 10 * sampledEveryMs) / 10);
    const delayMs = { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) };
    const streams = Object.fromEntries(
      replicas.map(([key, replica]) => {
        const { droppedFrames, reconnects } = replica.sampleFigures(new Date()).stats;
        return [key, { droppedFrames, reconnects }];
      }),
    );
    collectGarbage();
    delay.reset();
    const { rss, heapUsed, external } = process.memoryUsage();
    const [residentMiB, heapMiB, buffersMiB] = [rss, heapUsed, external].map((bytes) => bytes / 2 ** 20) as [
      number,
      number,
      number,
    ];
    return { delayMs, residentMiB, heapMiB, buffersMiB, streams, ends };
  };
}

process.on('disconnect', () => process.exit());
const [options] = (await once(process, 'message')) as [HostileAgentOptions];
const figures = begin(options);
// The first connections and compilations are not measured.
await setTimeout(5000);
figures();
process.on('message', () => process.send!(figures()));
process.send!('ready');
