// A music radio: a still image with a playlist of songs, and a stream key that must stay secret.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { createLoop, until, uploadFile, watchChannels } from '../support/local-run.ts';
import { mediaSample, writtenFile } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const streamKey = 'planted-secret-key-of-the-radio';

describe('an image under an audio playlist', { timeout: 60_000 }, () => {
  const run = testLocalRun('--no-demo');
  let streamID: string;
  let commandLines: string[];

  beforeAll(async () => {
    await findMediaTools(process.env);
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
    // Longer than the songs of 3 s and 2 s and the image of 10 s, with their joins.
    await until(async () => (await api('GET', `/streams/${streamID}/stats`)).framesSent > 30 * 12);
    commandLines = await allCommandLines();
  }, 60_000);

  it('is live with picture and sound, and without a seam between the songs', async () => {
    expect((await run.api('GET', `/streams/${streamID}`)).state).toBe('active');
    const channels = await watchChannels(run);
    expect(channels).toMatchObject([{ live: true, videoCodec: 'h264', audioCodec: 'aac', timestampRegressions: 0 }]);
    expect(channels[0]!.audioFrames).toBeGreaterThan(300);
  });

  it('says why a file cannot be used that is not what its name claims', async () => {
    const id = await uploadFile(run.api, await writtenFile('holiday.mp4', 'no film at all'), 'video/mp4');
    expect(await run.api('GET', `/uploads/${id}`)).toMatchObject({
      uploaded: true,
      probeState: 'failed',
      failure: { code: 'not_media', detail: expect.stringMatching(/\.$/) },
    });
  });

  it('shows its key in no command line, no log and no answer', async () => {
    // The command lines were read while the programs ran.
    expect(commandLines.some((line) => line.includes('ffmpeg'))).toBe(true);
    expect(commandLines.filter((line) => line.includes(streamKey))).toEqual([]);
    expect(await readFile(join(run.dataFolder, 'platform.log'), 'utf8')).not.toContain(streamKey);
    for (const path of ['/streams', '/destinations'])
      expect(JSON.stringify(await run.api('GET', path))).not.toContain(streamKey);
  });
});

async function allCommandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}
