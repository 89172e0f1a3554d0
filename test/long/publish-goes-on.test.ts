// Lists that are published while live, recorded: they continue after the present item, in both modes and backends.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playlistModes } from '../../lambda/domain/playout/play-out.ts';
import type { PlaylistMode } from '../../lambda/domain/playout/play-out.ts';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import type { StreamBackend } from '../../lambda/domain/streams/stream-words.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { makeBarcodeClip, readBarcodes } from '../support/barcode-clip.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, until, untilActive, uploadFile } from '../support/local-run.ts';
import { format, untilTime } from '../support/programme-on-air.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** Clips of the list, and one that is published while it plays. */
const listed = 10;
const itemSeconds = 4;
/** Items that have begun when the list is published. A list from its first item on would repeat some of them. */
const playedBefore = 2;

const cases = streamBackends.flatMap((backend) => playlistModes.map((mode) => ({ backend, mode })));
type Case = (typeof cases)[number];
const nameOf = ({ backend, mode }: Case) => `${mode} ${backend}`;

describe('a list that is published while live', { timeout: 600_000 }, () => {
  const run = testLocalRun('--no-demo');
  let tools: MediaTools;
  let folder: string;
  let uploads: string[];
  /** The clips of each case in the order of their recorded beginnings. */
  const recorded = new Map<string, readonly number[]>();

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    folder = await mkdtemp(join(tmpdir(), 'publish-goes-on-'));
    uploads = [];
    for (let clip = 0; clip <= listed; clip++) {
      const path = await makeBarcodeClip(tools, join(folder, `${clip}.mp4`), clip, itemSeconds);
      uploads.push(await uploadFile(run.api, path, 'video/mp4'));
    }
    await untilPrepared();
    await Promise.all(cases.map(async (each) => void recorded.set(nameOf(each), await clipsOf(each))));
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true }));

  it.each(cases)('continues after the present item, in the mode $mode, with $backend', ({ backend, mode }) => {
    const order = recorded.get(nameOf({ backend, mode }))!;
    console.log(`${mode}, ${backend}: ${order.join(' ')}`);
    const all = Array.from({ length: listed + 1 }, (_, clip) => clip);
    // The recording begins with the first item, and no item of the lap is heard twice or is missing.
    expect(order.slice(0, listed + 1).toSorted((one, other) => one - other)).toEqual(all);
    if (mode === 'sequential') expect(order.slice(0, listed + 1)).toEqual(all);
  });

  async function untilPrepared(): Promise<void> {
    const target = { rtmpURL: 'rtmp://127.0.0.1/never-started', streamKey: 'none' };
    const id = await createLoop(run.api, uploads, target, { ...format, streamBackend: 'manifest' });
    const { playlistIDs } = await run.api('GET', `/streams/${id}`);
    await run.api('PATCH', `/streams/${id}`, { preparedPlaylistIDs: playlistIDs });
    await until(async () => (await run.api('GET', `/streams/${id}`)).preparedShare === 1);
  }

  async function clipsOf({ backend, mode }: { backend: StreamBackend; mode: PlaylistMode }): Promise<number[]> {
    const { api } = run;
    const own = join(folder, `${backend}-${mode}`);
    await mkdir(own);
    using ingest = await startFfmpegIngest(join(own, 'recording.flv'));
    const streamID = await createLoop(api, uploads.slice(0, listed), ingest.target, {
      ...format,
      streamBackend: backend,
    });
    const [playlistID] = (await api('GET', `/streams/${streamID}`)).playlistIDs;
    await api('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'setMode', mode }] });
    await api('POST', `/streams/${streamID}/start`);
    await untilActive(api, streamID);
    const from = new Date(Date.now() - 600_000).toISOString();
    const [first] = (await api('GET', `/streams/${streamID}/timeline?from=${from}&limit=1`)).data;
    const beganMs = Date.parse(first.startAt);
    await untilTime(beganMs + (playedBefore * itemSeconds + 1) * 1000);
    const operations = [{ op: 'add', uploadID: uploads[listed] }];
    await api('POST', `/playlists/${playlistID}/operations`, { operations });
    await api('POST', `/playlists/${playlistID}/publish`);
    await untilTime(beganMs + ((listed + 2) * itemSeconds + 2) * 1000);
    await api('POST', `/streams/${streamID}/stop`);
    const frames = await readBarcodes(tools, await ingest.finish());
    const clips = frames.map(({ clip }) => clip);
    return clips.filter((clip, index) => index === 0 || clip !== clips[index - 1]);
  }
});
