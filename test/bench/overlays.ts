// The cost of a logo, titles and crossfades of pictures: preparing, storing and sending them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usualTitle } from '../../lambda/domain/playout/overlays.ts';
import type { TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import type { EncoderSettings } from '../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import { audioFormat, profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { prepareClips } from './clips.ts';
import type { IngestPorts } from './discarding-ingest.ts';
import { prepareDrawnClips } from './drawn-clips.ts';
import type { DrawnClips } from './drawn-clips.ts';
import { measure, print } from './publishers.ts';
import type { PublishingOptions } from './publishing-process.ts';

const streams = Number(process.env['STREAMS'] ?? 20);
const format = { quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' } as const;
/** Durations that are no whole number of AAC frames. */
const durations = [15.1, 12.3] as const;
/** Length of a video in a usual channel. */
const usualItemSeconds = 240;
const rounds = 2;

export async function overlaysBench(tools: MediaTools, encoder: EncoderSettings): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-overlays-'));
  const ingest = fork(join(import.meta.dirname, 'discarding-ingest.ts'));
  try {
    ingest.send({});
    const [ports] = (await once(ingest, 'message')) as [IngestPorts];
    const { items: plain } = await prepareClips(folder, format, durations);
    const drawn = await prepareDrawnClips({ tools, encoder, format, folder }, plain);
    printCosts(drawn.made);
    await measureSending({ folder, port: ports.rtmp }, plain, drawn);
  } finally {
    ingest.disconnect();
    await rm(folder, { recursive: true });
  }
}

function printCosts({ plain, withLogo, titles, crossfades }: DrawnClips['made']): void {
  const itemsPerHour = 3600 / usualItemSeconds;
  const hour = 3600 / durations[0];
  const rows = [
    ['as it is', plain, hour],
    ['with a logo', withLogo, 3600 / (durations[0] + durations[1])],
    [`titles of ${usualTitle.seconds} s, as variants`, titles, itemsPerHour / titles.count],
    ['crossfades of 1 s', crossfades, itemsPerHour / crossfades.count],
  ] as const;
  console.log(
    `an hour of videos of ${usualItemSeconds} s at 1080p30, prepared once; live, each hour takes the first row`,
  );
  for (const [what, { cpuSeconds, bytes }, times] of rows) {
    const work = `${((cpuSeconds * times) / 60).toFixed(2).padStart(6)} core minutes`;
    const shares = [(cpuSeconds * times) / (plain.cpuSeconds * hour), (bytes * times) / (plain.bytes * hour)].map(
      (share) => `${(share * 100).toFixed(1)} %`,
    );
    const kept = `${((bytes * times) / 1e9).toFixed(3)} GB`;
    console.log(`  ${what.padEnd(28)} ${work} (${shares[0]}), ${kept} (${shares[1]})`);
  }
}

async function measureSending(
  { folder, port }: Pick<PublishingOptions, 'folder' | 'port'>,
  plain: readonly TimelineItem[],
  { items, joins, looks }: DrawnClips,
): Promise<void> {
  const { videoBitrateKbps } = profileOf(format);
  const common = {
    streams,
    folder,
    port,
    format,
    kind: 'prepared',
    begin: 'apart',
    warmUpSeconds: 5,
    seconds: 12,
    tlsCa: null,
    bytesPerSecond: ((videoBitrateKbps + audioFormat.bitrateKbps) * 1000) / 8,
  } as const;
  console.log(`${streams} streams at 1080p30, percent of one core`);
  let [without, having] = [0, 0];
  // The variants alternate, so that other load of the machine affects both.
  for (let round = 0; round < rounds; round++) {
    const cuts = await measure({ ...common, items: plain });
    print('nothing drawn, cuts', streams, cuts);
    const drawn = await measure({ ...common, items, joins, looks });
    print('logo, titles, crossfades', streams, drawn);
    without += cuts.cpuPercent;
    having += drawn.cpuPercent;
  }
  console.log(`  with all of that ${((having / without - 1) * 100).toFixed(1)} % more`);
}
