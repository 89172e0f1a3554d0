// The cost of telemetry for an agent: processor time of a process with 300 streams, with and without it in turns.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareClips } from './clips.ts';
import type { IngestPorts } from './discarding-ingest.ts';
import { measure } from './publishers.ts';

const streams = Number(process.env['STREAMS'] ?? 300);
const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;

export async function telemetryBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-telemetry-'));
  const ingest = fork(join(import.meta.dirname, 'discarding-ingest.ts'));
  let requests = 0;
  const collector = createServer((request, response) => {
    requests++;
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  try {
    ingest.send({});
    const [ports] = (await once(ingest, 'message')) as [IngestPorts];
    const clips = await prepareClips(folder, format, [10.1, 12.5]);
    const { port } = collector.address() as AddressInfo;
    const { withTelemetry, cpuPercent } = await measure({
      kind: 'prepared',
      tlsCa: null,
      begin: 'apart',
      streams,
      warmUpSeconds: 8,
      seconds: 10,
      port: ports.rtmp,
      folder,
      items: clips.items,
      format,
      bytesPerSecond: 0,
      collectorURL: `http://127.0.0.1:${port}`,
    });
    console.log(`${streams} prepared streams at 720p30: ${cpuPercent.toFixed(2)} % of a core; ${requests} exports`);
    for (const { off, on } of withTelemetry) console.log(`  without ${off.toFixed(2)} %, with ${on.toFixed(2)} %`);
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
    const without = median(withTelemetry.map(({ off }) => off));
    const cost = median(withTelemetry.map(({ on }) => on)) - without;
    console.log(
      `  telemetry takes ${cost.toFixed(3)} % of a core: ${((100 * cost) / without).toFixed(1)} % of the agent`,
    );
  } finally {
    collector.close();
    ingest.disconnect();
    await rm(folder, { recursive: true });
  }
}
