// The music radio: a still image held under an audio playlist, with a stream key that nobody may see.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { createLoop, startLocalRun, temporaryDataFolder, until, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { mediaSample, textFile } from '../support/media-samples.ts';

const streamKey = 'planted-secret-key-of-the-radio';

describe('an image under an audio playlist', { timeout: 60_000 }, () => {
  let run: LocalRun;
  let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
  let streamID: string;
  let commandLines: string[];

  beforeAll(async () => {
    await findMediaTools(process.env);
    data = await temporaryDataFolder();
    run = await startLocalRun(data.path, '--no-demo');
    const { api } = run;
    const image = await uploadFile(api, await mediaSample('still.png'), 'image/png');
    const songs = [
      await uploadFile(api, await mediaSample('song.mp3'), 'audio/mpeg'),
      await uploadFile(api, await mediaSample('song.wav'), 'audio/wav'),
    ];
    streamID = await createLoop(api, [image], { rtmpURL: run.connection.rtmpURL, streamKey });
    const audio = await api('POST', '/playlists', { streamID, kind: 'audio', mode: 'sequential' });
    await api('POST', `/playlists/${audio.id}/operations`, {
      operations: songs.map((uploadID) => ({ op: 'add', uploadID })),
    });
    await api('POST', `/streams/${streamID}/start`);
    // Longer than the 3 s and 2 s of the songs and the 10 s of the image together with their joins.
    await until(async () => (await api('GET', `/streams/${streamID}/stats`)).framesSent > 30 * 12);
    commandLines = await allCommandLines();
  }, 60_000);
  afterAll(async () => {
    expect(await run.interrupt()).toBe(0);
    await data.remove();
  });

  it('is live with picture and sound, on one time line over the joins of the songs', async () => {
    expect((await run.api('GET', `/streams/${streamID}`)).state).toBe('active');
    const channels = await (await fetch(`${run.connection.siteURL}/watch/channels`)).json();
    expect(channels).toEqual([
      expect.objectContaining({ live: true, videoCodec: 'h264', audioCodec: 'aac', timestampRegressions: 0 }),
    ]);
    expect(channels[0].audioFrames).toBeGreaterThan(300);
  });

  it('says of a file that is not what its name claims why it cannot be used', async () => {
    const id = await uploadFile(run.api, await textFile('holiday.mp4', 'no film at all'), 'video/mp4');
    expect(await run.api('GET', `/uploads/${id}`)).toMatchObject({
      uploaded: true,
      probeState: 'failed',
      failure: { code: 'not_media', detail: expect.stringMatching(/\.$/) },
    });
  });

  it('shows the key in no argument list, no log and no answer', async () => {
    // That the programs were looked at while they ran.
    expect(commandLines.some((line) => line.includes('ffmpeg'))).toBe(true);
    expect(commandLines.filter((line) => line.includes(streamKey))).toEqual([]);
    expect(await readFile(join(data.path, 'platform.log'), 'utf8')).not.toContain(streamKey);
    for (const path of ['/streams', '/destinations'])
      expect(JSON.stringify(await run.api('GET', path))).not.toContain(streamKey);
  });
});

async function allCommandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}
