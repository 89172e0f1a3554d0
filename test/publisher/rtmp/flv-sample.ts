// Small FLV files for tests: made by ffmpeg, parsed into messages, and judged by ffprobe.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { encodeAmf0 } from '../../../lambda/publisher/rtmp/amf0.ts';
import type { MediaMessage } from '../../../lambda/publisher/rtmp/message.ts';

const tools = await findMediaTools(process.env);
const run = promisify(execFile);

/** Makes a file of H.264 with B-frames and a keyframe every second, at 2 Mbit/s, and of AAC. */
export async function makeFlv(
  file: string,
  { seconds, size = '640x360', framerate = '30' }: { seconds: number; size?: string; framerate?: string },
): Promise<void> {
  const inputs = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${framerate}`, '-f', 'lavfi', '-i', 'sine=r=48000'];
  const h264 = '-c:v libx264 -preset veryfast -pix_fmt yuv420p -bf 2 -g 30'.split(' ');
  const bitrate = '-b:v 2M -minrate 2M -maxrate 2M -bufsize 2M'.split(' ');
  const output = [...h264, ...bitrate, '-c:a', 'aac', '-t', String(seconds), file];
  await run(tools.ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...inputs, ...output]);
}

/** The tags of an FLV file, as a publisher sends them. */
export async function readFlv(file: string): Promise<MediaMessage[]> {
  const bytes = await readFile(file);
  const types: Readonly<Record<number, MediaMessage['type']>> = { 8: 'audio', 9: 'video', 18: 'data' };
  const messages: MediaMessage[] = [];
  for (let offset = 13; offset < bytes.length;) {
    const length = bytes.readUIntBE(offset + 1, 3);
    const type = types[bytes.readUInt8(offset)]!;
    const timestampMs = bytes.readUIntBE(offset + 4, 3) + bytes.readUInt8(offset + 7) * 2 ** 24;
    const body = bytes.subarray(offset + 11, offset + 11 + length);
    messages.push({
      type,
      timestampMs,
      payload: type === 'data' ? Buffer.concat([encodeAmf0(['@setDataFrame']), body]) : body,
    });
    offset += 11 + length + 4;
  }
  return messages;
}

export interface TrackFacts {
  readonly packets: number;
  readonly dtsRises: boolean;
  readonly startsWithKeyframe: boolean;
}

export interface FileFacts {
  readonly video: TrackFacts;
  readonly audio: TrackFacts;
  /** Complaints of ffmpeg when it decodes the whole file. */
  readonly decodeErrors: string;
}

/** Reads and decodes a file. */
export async function fileFacts(file: string): Promise<FileFacts> {
  const show = ['-v', 'error', '-show_entries', 'packet=codec_type,dts,flags', '-of', 'csv=p=0'];
  const [packets, decoding] = await Promise.all([
    run(tools.ffprobePath, [...show, file], { maxBuffer: 16_000_000 }),
    run(tools.ffmpegPath, ['-nostdin', '-v', 'error', '-i', file, '-f', 'null', '-']),
  ]);
  const lines = packets.stdout.trim().split('\n');
  const rows = lines.map((line) => line.split(','));
  return { video: trackFacts(rows, 'video'), audio: trackFacts(rows, 'audio'), decodeErrors: decoding.stderr };
}

function trackFacts(rows: readonly string[][], type: string): TrackFacts {
  const track = rows.filter(([codecType]) => codecType === type);
  const dts = track.map(([, text]) => Number(text));
  return {
    packets: track.length,
    dtsRises: dts.every((value, index) => index === 0 || value > dts[index - 1]!),
    startsWithKeyframe: track[0]?.[2]?.startsWith('K') ?? false,
  };
}
