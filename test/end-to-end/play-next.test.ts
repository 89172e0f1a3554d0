// A clip that is played next on a real local run, by both backends: the recording has it once, whole, in its place.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { coloursOf, makeColourClip } from '../support/colour-clip.ts';
import type { Colour } from '../support/colour-clip.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, until, uploadFile } from '../support/local-run.ts';
import { judgeRecording, steps } from '../support/recording.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const fps = 30;
/** Clips by their names. Those of the list are of 4 s, and the one that is played next is of 3 s. */
const colours: Readonly<Record<string, Colour>> = {
  a: [230, 20, 20],
  b: [20, 230, 20],
  c: [20, 20, 230],
  X: [230, 230, 230],
};

describe('a clip that is played next', { timeout: 120_000 }, () => {
  const run = testLocalRun('--no-demo');
  const uploads = new Map<string, string>();
  let tools: MediaTools;
  let folder: string;
  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    folder = await mkdtemp(join(tmpdir(), 'play-next-'));
    for (const [index, [name, colour]] of Object.entries(colours).entries()) {
      const path = join(folder, `${name}.mp4`);
      await makeColourClip(tools, { path, colour, toneHz: 400 + 100 * index, seconds: name === 'X' ? 3 : 4 });
      uploads.set(name, await uploadFile(run.api, path, 'video/mp4'));
    }
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true }));

  it.each(['ffmpeg', 'manifest'])('by the backend %s is sent once, whole, and the list continues', async (backend) => {
    const { api } = run;
    const file = join(folder, `${backend}.flv`);
    using ingest = await startFfmpegIngest(file);
    const listed = ['a', 'b', 'c'].map((name) => uploads.get(name)!);
    const id = await createLoop(api, listed, ingest.target);
    await api('PATCH', `/streams/${id}`, { streamBackend: backend });
    await api('POST', `/streams/${id}/start`);
    await until(async () => (await api('GET', `/streams/${id}`)).state === 'active');
    const ask = () => api('POST', `/streams/${id}/play-next`, { uploadID: uploads.get('X') });
    let startsAt: string | null = null;
    await until(async () => (startsAt = (await ask()).startsAt) !== null);
    // X, and an item of the list behind it.
    await until(async () => Date.now() > Date.parse(startsAt!) + 8000);
    await api('POST', `/streams/${id}/stop`);
    await until(async () => (await api('GET', `/streams/${id}`)).state === 'stopped');
    await ingest.finish();
    const judged = await judgeRecording(tools, file);
    expect([judged.parameterSets, steps(judged.video.dts)]).toEqual([1, [33, 34]]);
    const shown = runsOf((await coloursOf(tools, file)).map(nameOf));
    const at = shown.findIndex(({ name }) => name === 'X');
    expect(shown.filter(({ name }) => name === 'X')).toEqual([{ name: 'X', frames: 3 * fps }]);
    const before = shown[at - 1]!.name;
    const next = 'abc'['abc'.indexOf(before) + 1] ?? 'a';
    expect([shown[at - 1]!.frames, shown[at + 1]]).toEqual([4 * fps, { name: next, frames: 4 * fps }]);
  });
});

/** The name of the nearest colour. */
function nameOf(colour: Colour): string {
  const distance = (other: Colour) => other.reduce((sum, part, index) => sum + Math.abs(part - colour[index]!), 0);
  return Object.keys(colours).toSorted((one, other) => distance(colours[one]!) - distance(colours[other]!))[0]!;
}

/** Frames of one colour that follow each other. */
function runsOf(names: readonly string[]): { name: string; frames: number }[] {
  const runs: { name: string; frames: number }[] = [];
  for (const name of names) {
    const last = runs.at(-1);
    if (last?.name === name) last.frames += 1;
    else runs.push({ name, frames: 1 });
  }
  return runs;
}
