// The cost of further outputs: a stream to 30, 30 streams to one each, and a copying ffmpeg with a tee to 30.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audioFormat, profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import { prepareClips } from './clips.ts';
import type { IngestPorts } from './discarding-ingest.ts';
import { measure, measureCopies, print, seconds, warmUpSeconds } from './publishers.ts';

const format = { quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' } as const;
const durations = [10.1, 12.5];
const outputs = Number(process.env['OUTPUTS'] ?? 30);
/** Target share of ffmpeg's cost. */
const goal = 1 / 5;

export async function outputsBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-outputs-'));
  const ingest = fork(join(import.meta.dirname, 'discarding-ingest.ts'));
  try {
    ingest.send({});
    const [{ rtmp: port }] = (await once(ingest, 'message')) as [IngestPorts];
    const { videoBitrateKbps } = profileOf(format);
    const bytesPerSecond = ((videoBitrateKbps + audioFormat.bitrateKbps) * 1000) / 8;
    console.log(`1080p30 at ${videoBitrateKbps} kbit/s over loopback, ${seconds} s each, percent of one core`);
    const clips = await prepareClips(folder, format, durations);
    const targets = Array.from({ length: outputs }, (_, index) => `[f=flv]rtmp://127.0.0.1:${port}/live/tee${index}`);
    const common = { kind: 'prepared', streams: outputs, warmUpSeconds, seconds, folder, items: clips.items } as const;
    const more = { format, bytesPerSecond, port, tlsCa: null } as const;
    // By default a tee keeps the tags of MP4, which FLV does not support.
    const tags = ['-tag:v', '7', '-tag:a', '10'];
    const tee = await measureCopies(clips, [['-map', '0', ...tags, '-f', 'tee', targets.join('|')]]);
    print(`ffmpeg -c copy -f tee, ${outputs} outputs`, outputs, tee);
    const apart = await measure({ ...common, ...more, begin: 'apart' });
    print(`prepared media, ${outputs} streams`, outputs, apart);
    const together = await measure({ ...common, ...more, begin: 'together' });
    print(`prepared media, ${outputs} outputs`, outputs, together);
    const share = together.cpuPercent / tee.cpuPercent;
    console.log(
      `    ${outputs} outputs of a stream take ${share.toFixed(3)} of what ffmpeg does (goal ${goal}), ` +
        `and ${(together.cpuPercent / apart.cpuPercent).toFixed(2)} of ${outputs} streams`,
    );
  } finally {
    ingest.disconnect();
    await rm(folder, { recursive: true });
  }
}
