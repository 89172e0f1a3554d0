// Videos are audible under a song at their level at all times, with both backends, through the whole platform.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { effectiveAheadSeconds } from '../../lambda/domain/playout/play-out.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { heardOfFile, levelsOf } from '../publisher/prepared/heard-sound.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, until, untilActive, uploadFile } from '../support/local-run.ts';
import { madeSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const tools = await findMediaTools(process.env);
const run = testLocalRun('--no-demo');
const amplitude = 0.25;
const filmHertz = 5000;
const songHertz = 440;
const gainDB = -9;
const filmSeconds = 6;
/** Shorter than a mixed part: each playing of the song is one part. */
const songSeconds = 16.3;
/** Number of parts that must exist before the measurement. */
const partsAhead = 4;
let folder: string;
let filmIDs: string[];
let songID: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sound-under-'));
  const tone = (hertz: number, seconds: number) => {
    const wave = `${amplitude}*sin(2*PI*${hertz}*t)`;
    return ['-f', 'lavfi', '-i', `aevalsrc='${wave}|${wave}':s=48000:d=${seconds}`];
  };
  const pictures = ['-f', 'lavfi', '-i', `testsrc2=s=640x360:r=30:d=${filmSeconds}`];
  const encoded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-b:a', '192k', '-shortest'];
  const film = await madeSample('heard-under.mp4', [...pictures, ...tone(filmHertz, filmSeconds), ...encoded]);
  const song = await madeSample('heard-over.wav', tone(songHertz, songSeconds));
  filmIDs = [await uploadFile(run.api, film, 'video/mp4')];
  songID = await uploadFile(run.api, song, 'audio/wav');
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

/** The levels of the last seconds of a stream, by the tenth of a second: of the film, and of the song. */
async function heard(streamBackend: string): Promise<Record<'film' | 'song', number[]>> {
  using ingest = await startFfmpegIngest(join(folder, `${streamBackend}.flv`), tools);
  const sound = { loudness: { enabled: false }, under: { gainDB } };
  const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend, sound, audioUploadObjectID: songID };
  const id = await createLoop(run.api, filmIDs, ingest.target, settings);
  const read = () => run.api('GET', `/streams/${id}`);
  await run.api('POST', `/streams/${id}/start`);
  await untilActive(run.api, id);
  const pending = async (): Promise<number> => (await read()).pendingJoins ?? 0;
  const asked = await pending();
  await until(async () => (await pending()) <= Math.max(0, asked - partsAhead));
  const takenUpMs = Date.now();
  const seconds = 12;
  await until(async () => Date.now() > takenUpMs + (effectiveAheadSeconds + songSeconds + seconds + 2) * 1000);
  await run.api('POST', `/streams/${id}/stop`);
  await until(async () => (await read()).state === 'stopped');
  const samples = (await heardOfFile(tools, await ingest.finish())).slice(-seconds * 48_000, -48_000);
  const levels = (hertz: number) => levelsOf(samples, { hertz, amplitude });
  return { film: levels(filmHertz), song: levels(songHertz) };
}

it('all the time', { timeout: 240_000 }, async () => {
  for (const { film, song } of await Promise.all([heard('ffmpeg'), heard('manifest')])) {
    // A tenth may be quieter when a film, a song or an encoder of the file begins again.
    const [wrongFilm, wrongSong] = [film, song].map((levels, index) =>
      levels.filter((level) => Math.abs(level - [gainDB, 0][index]!) > 1),
    );
    expect(film.length).toBeGreaterThan(100);
    expect(wrongFilm!.length).toBeLessThan(10);
    expect(wrongSong!.length).toBeLessThan(4);
  }
});
