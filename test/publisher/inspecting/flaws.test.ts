// Each flaw is found at its place, and nothing else; the loudness equals ffmpeg's own measurement.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { InspectionProgress } from '../../../lambda/data/media/inspections.ts';
import { toStereo } from '../../../lambda/publisher/ffmpeg/item-arguments.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import type { PieceTimes } from '../../../lambda/publisher/inspecting/measure-piece.ts';
import { progressOf } from '../../../lambda/publisher/inspecting/inspector.ts';
import { cleanFiles, flawedFiles } from '../../support/flawed-media.ts';
import type { FlawedFile } from '../../support/flawed-media.ts';
import { everyMediaTools } from '../../support/media-samples.ts';

const toolSets = await everyMediaTools();
const { signal } = new AbortController();
const unhurried: PieceTimes = { usualMs: 100_000, longestMs: 100_000 };

/** Inspects a file as the inspector does. @returns the final findings, and the number of pieces */
async function lookThrough({ path }: FlawedFile, { tools }: (typeof toolSets)[number], times = unhurried) {
  const sourceURL = await path();
  const facts = await probeMedia(tools, sourceURL, { mimeType: null, type: null, fileSize: null }, signal);
  const upload = {
    size_bytes: (await stat(sourceURL)).size,
    duration_seconds: facts.durationSeconds,
    video_codec: facts.videoCodec,
    audio_codec: facts.audioCodec,
    dynamic_range: facts.dynamicRange,
    framerate: facts.framerate,
    width: facts.width,
    height: facts.height,
  };
  let pieces = 0;
  let progress: Pick<InspectionProgress, 'measurements'> = { measurements: null };
  for (;;) {
    const next = await progressOf(progress, upload, { tools, sourceURL, signal }, times);
    pieces += 1;
    if (next.isCompleted) return { ...next, pieces };
    progress = next;
  }
}

const soundSeconds = 0.1;

describe.each(toolSets)('with the ffmpeg $name', (tools) => {
  const found = new Map<FlawedFile, ReturnType<typeof lookThrough>>();
  /** The findings of a file, which is inspected once for all tests. */
  const inspected = (file: FlawedFile) => {
    const known = found.get(file) ?? lookThrough(file, tools);
    found.set(file, known);
    return known;
  };

  it.each(flawedFiles)('finds what is wrong in $name, where it is', async (file) => {
    const { findings, share } = await inspected(file);
    const expected = file.flaws.map(([kind, start = null, end = null]) => {
      const tolerance = kind === 'silent' ? soundSeconds : file.frameSeconds + 0.001;
      const near = (seconds: number | null) =>
        seconds === null
          ? null
          : expect.toSatisfy((found: number) => Math.abs(found - seconds) <= tolerance, `${seconds} ± ${tolerance}`);
      const detail = expect.stringMatching(/^(?:[A-Z]|\d+ % ).*\.$/);
      return { kind, startSeconds: near(start), endSeconds: near(end), detail };
    });
    expect(findings).toHaveLength(expected.length);
    expect(findings).toEqual(expect.arrayContaining(expected));
    expect(share).toBe(1);
  });

  it.each(cleanFiles)('finds nothing wrong in $name', async (file) => {
    expect((await inspected(file)).findings).toEqual([]);
  });

  const louder = flawedFiles.filter(({ name }) => /^(?:loud|clipped|mute\.|black-and)/u.test(name));
  it.each([...louder, ...cleanFiles])(
    'measures how loud $name is as it is sent, as ebur128 does by itself',
    async (file) => {
      const { loudness } = await inspected(file);
      const args = ['-nostdin', '-hide_banner', '-i', await file.path(), '-map', '0:a:0'];
      const { stderr } = await promisify(execFile)(tools.tools.ffmpegPath, [
        ...args,
        ...`-af ${toStereo},ebur128=peak=true -f null -`.split(' '),
      ]);
      const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
      const said = (name: string) => Number(new RegExp(`${name}: +(-?[\\d.]+)`).exec(summary)![1]);
      expect(Math.abs(loudness!.integratedLUFS - said('I'))).toBeLessThanOrEqual(0.5);
      // Three seconds give one value, and ffmpeg reports its distance from the gate of the range.
      const [, gate, low] = /Loudness range:[^]*?Threshold: +(\S+)[^]*?LRA low: +(\S+)/.exec(summary)!;
      expect(Math.abs(loudness!.rangeLU - (low === gate ? 0 : said('LRA')))).toBeLessThanOrEqual(0.5);
      expect(Math.abs(loudness!.truePeakDBTP - said('Peak'))).toBeLessThanOrEqual(0.5);
    },
  );
});

it('what is looked through in pieces is found as in one', async () => {
  const some = new Set(['black-twice.mp4', 'mute.mp4', 'still.mp4', 'loud.mkv']);
  for (const file of flawedFiles.filter(({ name }) => some.has(name))) {
    const whole = await lookThrough(file, toolSets[0]!);
    const inPieces = await lookThrough(file, toolSets[0]!, { usualMs: 0, longestMs: 100_000 });
    expect(inPieces.findings).toEqual(whole.findings);
    expect(inPieces.loudness).toEqual(whole.loudness);
  }
});
