// The cost of takeovers for the agent: prepared streams of one process, some of them taken over, against none.
// `TAKEN_OVER=10 STREAMS=300 npm run bench -- takeovers` selects their numbers.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { liveSegmentKey } from '../../lambda/domain/media/object-keys.ts';
import type { LiveSegment } from '../../lambda/live/segment-encoder.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { audioFormat, profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { clip, onTime, send } from '../live/contributor.ts';
import { prepareClips } from './clips.ts';
import type { IngestPorts } from './discarding-ingest.ts';
import { measure, print, seconds, warmUpSeconds } from './publishers.ts';

const streams = Number(process.env['STREAMS'] ?? 300);
const takenOver = Number(process.env['TAKEN_OVER'] ?? 10);
const rounds = Number(process.env['ROUNDS'] ?? 3);
const format = { quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' } as const;
/** Time for all streams to begin. */
const slackSeconds = 14;

export async function takeoversBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-takeovers-'));
  const ingest = fork(join(import.meta.dirname, 'discarding-ingest.ts'));
  try {
    ingest.send({});
    const [ports] = (await once(ingest, 'message')) as [IngestPorts];
    const { items } = await prepareClips(folder, format, [10.1, 12.5]);
    const sessions = await storeSessions(folder);
    const { videoBitrateKbps, framesPerSecond } = profileOf(format);
    const bytesPerSecond = ((videoBitrateKbps + audioFormat.bitrateKbps) * 1000) / 8;
    const common = { streams, begin: 'in turn', warmUpSeconds, seconds, folder, items, format, tlsCa: null } as const;
    const sent = { ...common, kind: 'prepared', port: ports.rtmp, bytesPerSecond } as const;
    for (let round = 1; round <= rounds; round++) {
      const plain = await measure(sent);
      const live = await measure({ ...sent, sessions });
      print(`no takeover, ${streams} streams`, streams, plain);
      print(`${takenOver} of them taken over`, streams, live);
      const due = streams * seconds * framesPerSecond;
      console.log(
        `    ${(live.cpuPercent / plain.cpuPercent).toFixed(2)} times the CPU; of the frames due ` +
          `${((100 * plain.framesSent) / due).toFixed(1)} and ${((100 * live.framesSent) / due).toFixed(1)} % sent, ` +
          `${plain.droppedFrames} and ${live.droppedFrames} dropped`,
      );
    }
  } finally {
    ingest.disconnect();
    await rm(folder, { recursive: true });
  }
}

/** Stores a contribution, encoded as a live ingest does, once for each stream that is taken over. @returns their ids */
async function storeSessions(folder: string): Promise<string[]> {
  const tools = await findMediaTools(process.env);
  const length = warmUpSeconds + seconds + slackSeconds;
  console.log(`Encoding ${length} s of a contribution`);
  const segments: LiveSegment[] = [];
  const tags = await clip(tools, { seconds: length, size: '1920x1080' });
  const { failure } = await send(tools, onTime(tags), { format, onSegment: (segment) => segments.push(segment) });
  if (failure) throw failure;
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'bench' });
  const ids = Array.from({ length: takenOver }, (_, index) => `ses_${index}`);
  const type = { contentType: 'application/octet-stream' };
  for (const id of ids)
    for (const { number, bytes, soundBytes } of segments) {
      await objects.write(liveSegmentKey(id, 'pictures', number), bytes, type);
      await objects.write(liveSegmentKey(id, 'sound', number), soundBytes, type);
    }
  return ids;
}
