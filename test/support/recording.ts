// Judges an ingest's recording: its timestamps, its parameters, and whether it can be decoded.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

const run = promisify(execFile);

export interface Track {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  readonly framerate: string;
  readonly sampleRate: string;
  /** Times in milliseconds. */
  readonly dts: readonly number[];
  readonly pts: readonly number[];
}

export interface Recording {
  readonly video: Track;
  readonly audio: Track;
  /** The number of different sets of H.264 parameters in the file. */
  readonly parameterSets: number;
  /** Complaints of ffmpeg when it decodes the whole file. */
  readonly decodeErrors: string;
}

interface Packet {
  readonly stream_index: number;
  readonly pts_time: string;
  readonly dts_time: string;
  readonly side_data_list?: readonly { readonly side_data_type: string }[];
}

interface Stream {
  readonly index: number;
  readonly codec_type: string;
  readonly codec_name: string;
  readonly width: number;
  readonly height: number;
  readonly r_frame_rate: string;
  readonly sample_rate: string;
}

export async function judgeRecording({ ffmpegPath, ffprobePath }: MediaTools, file: string): Promise<Recording> {
  const show = ['-v', 'error', '-show_streams', '-show_packets', '-of', 'json', file];
  // Same setting as for the product's tools: converters of the machine crash a statically linked build.
  const env = { ...process.env, GCONV_PATH: '/nonexistent' };
  const { stdout } = await run(ffprobePath, show, { maxBuffer: 1024 ** 3, env });
  const { streams, packets } = JSON.parse(stdout) as { streams: Stream[]; packets: Packet[] };
  const trackOf = (type: string): Track => {
    const stream = streams.find((candidate) => candidate.codec_type === type)!;
    const own = packets.filter((packet) => packet.stream_index === stream.index);
    const ms = (time: string) => Math.round(Number(time) * 1000);
    return {
      codec: stream.codec_name,
      width: stream.width,
      height: stream.height,
      framerate: stream.r_frame_rate,
      sampleRate: stream.sample_rate,
      dts: own.map((packet) => ms(packet.dts_time)),
      pts: own.map((packet) => ms(packet.pts_time)),
    };
  };
  const hasNewParameters = ({ side_data_list: list }: Packet) =>
    list?.some((data) => data.side_data_type === 'New Extradata');
  const changes = packets.filter(hasNewParameters).length;
  const decode = ['-nostdin', '-v', 'error', '-i', file, '-f', 'null', '-'];
  const decoded = await run(ffmpegPath, decode, { maxBuffer: 1024 ** 2 });
  return { video: trackOf('video'), audio: trackOf('audio'), parameterSets: 1 + changes, decodeErrors: decoded.stderr };
}

/** The differences between neighbouring values. */
export function deltas(values: readonly number[]): number[] {
  return values.slice(1).map((value, index) => value - values[index]!);
}

/** The distinct differences between neighbouring values, the smallest first. */
export function steps(values: readonly number[]): number[] {
  return [...new Set(deltas(values))].sort((a, b) => a - b);
}
