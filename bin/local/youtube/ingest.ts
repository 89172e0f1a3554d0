// The stand-in's view of its ingest, the local run's sink: whether a key has media, and the faults of the media.
import { channelIDOf } from '../rtmp-sink/channel-directory.ts';
import type { Channel } from '../rtmp-sink/channel.ts';
import type { RtmpSink } from '../rtmp-sink/rtmp-sink.ts';

/** The functions of the sink that an ingest needs. */
export type IngestServer = Pick<RtmpSink, 'port' | 'channels' | 'requireKeys'>;

/** The application of YouTube's own addresses, with the query that distinguishes the backup from the primary. */
export const ingestApp = 'live2';
const backupApp = `${ingestApp}?backup=1`;

export function ingestAddresses(port: number) {
  const origin = `rtmp://127.0.0.1:${port}`;
  return { ingestionAddress: `${origin}/${ingestApp}`, backupIngestionAddress: `${origin}/${backupApp}` };
}

export interface Issue {
  readonly type: string;
  readonly severity: 'info' | 'warning' | 'error';
  readonly reason: string;
  readonly description: string;
}

export interface IngestFacts {
  /** Start of the time with both video and sound; null if one is missing. */
  readonly activeSince: Date | null;
  readonly issues: readonly Issue[];
  readonly hasPublisher: boolean;
}

const nothing: IngestFacts = { activeSince: null, issues: [], hasPublisher: false };

/** The media under a stream key. The backup counts if the primary has none. */
export function factsOf(server: IngestServer | null, key: string): IngestFacts {
  const ids = [channelIDOf(ingestApp, key), channelIDOf(backupApp, key)];
  const channels = server?.channels().filter(({ id, live }) => live && ids.includes(id)) ?? [];
  const channel = ids.flatMap((id) => channels.find((other) => other.id === id) ?? [])[0];
  if (!channel) return nothing;
  const hasBoth = channel.videoFrames > 0 && channel.audioFrames > 0;
  return { activeSince: hasBoth ? channel.firstVideoAt : null, issues: issuesOf(channel), hasPublisher: true };
}

/** Help page 2853702, “Choose live encoder settings”: the lowest bitrates of its table, by height. */
const leastKbps: readonly (readonly [height: number, kbps: number])[] = [
  [2160, 10_000],
  [1440, 5000],
  [1080, 3000],
  [720, 1500],
  [480, 500],
  [360, 400],
  [0, 300],
];
/** From that help page: keyframes every 2 seconds, and at most 4 seconds apart. */
const longestKeyframeIntervalMs = 4000;
/** Time until the sink's measurements are meaningful. */
const settlingMs = 6000;

/** @param channel a live channel */
function issuesOf(channel: Channel): Issue[] {
  const issues: Issue[] = [];
  const add = (type: string, severity: Issue['severity'], description: string) =>
    issues.push({ type, severity, reason: type, description });
  if (channel.videoFrames === 0) add('noVideoStream', 'error', 'There is no video.');
  if (channel.audioFrames === 0) add('noAudioStream', 'error', 'There is no sound. Send silence at least.');
  if (channel.audioCodec !== null && !['aac', 'mp3'].includes(channel.audioCodec))
    add('audioCodec', 'error', `The sound is ${channel.audioCodec}. Send AAC or MP3.`);
  if ((channel.keyframeIntervalMs ?? 0) > longestKeyframeIntervalMs)
    add('gopSizeLong', 'warning', 'Keyframes are more than four seconds apart. Send one every four seconds or sooner.');
  if (Date.now() - channel.connectedAt.getTime() < settlingMs) return issues;
  const least = leastKbps.find(([height]) => (channel.height ?? 0) >= height)![1];
  if (channel.bitrateKbps < least / 10)
    add('videoIngestionStarved', 'error', 'Too little video comes in for a smooth stream. Viewers will see it stop.');
  else if (channel.bitrateKbps < least)
    add('bitrateLow', 'warning', `The bitrate is ${channel.bitrateKbps} kbit/s; ${least} kbit/s are recommended.`);
  return issues;
}

/** `good`: no warnings or errors. `ok`: no errors. */
export function healthStatusOf({ hasPublisher, issues }: IngestFacts): 'good' | 'ok' | 'bad' | 'noData' {
  if (!hasPublisher) return 'noData';
  const has = (severity: Issue['severity']) => issues.some((issue) => issue.severity === severity);
  return has('error') ? 'bad' : has('warning') ? 'ok' : 'good';
}
