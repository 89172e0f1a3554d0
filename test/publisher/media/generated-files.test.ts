// Generated files of every container: the picture and the sound due at a time are those that a plain decoder gives.
// GENERATED_FILES is their number, GENERATED_FROM the first seed. A failure names its seed.
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { frameCountOf } from '../../../lambda/domain/playout/play-out.ts';
import { firstSoundFrameFrom } from '../../../lambda/domain/playout/prepared-play-out.ts';
import { renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import { onlyLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import type { MediaFacts } from '../../../lambda/publisher/media/probe.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { preparePart } from '../../../lambda/publisher/preparing/prepare-part.ts';
import { encodePictures, prepareSegment } from '../../../lambda/publisher/preparing/prepare-segment.ts';
import { readSegmentHeader } from '../../../lambda/publisher/prepared/segment-format.ts';
import { everyMediaTools, fastEncoder } from '../../support/media-samples.ts';
import { plainSound } from '../../support/plain-sound.ts';
import { seeded } from '../../support/seeded.ts';
import { decodePictures, encodeItem, joinItems, profile as usual, readSound } from '../ffmpeg/encoded-item.ts';
import type { Picture } from '../ffmpeg/encoded-item.ts';
import { CheckingIngest, flvOf } from '../prepared/checking-ingest.ts';
import { cells, chirp, generate, recipeOf } from './generated-file.ts';
import type { GeneratedFile } from './generated-file.ts';

const run = promisify(execFile);
const builds = await everyMediaTools();
const never = new AbortController().signal;
const count = Number(process.env.GENERATED_FILES ?? 40);
const firstSeed = Number(process.env.GENERATED_FROM ?? 1);
const { sampleRate } = audioFormat;
/** Small pictures, so that thousands of files are possible. */
const profile = { ...usual, width: 160, height: 90, videoBitrateKbps: 400 };
const { framesPerSecond, gopFrames } = profile;
const tolerance = { pictureSeconds: 1 / framesPerSecond + 0.002, soundSeconds: 0.025, lengthSeconds: 0.3 };
/** The frames that are looked at after a takeover. */
const takeoverFrames = 24;
const takeovers = 2;

/** A decoder's pictures in order, with the times at which they are shown, and its sound from time 0 on. */
interface Decoded {
  readonly pictures: readonly { readonly seconds: number; readonly number: number }[];
  readonly samples: Float32Array;
  readonly seconds: number;
}

/** Decodes a file from beginning to end, as simply as possible. */
async function decode(tools: MediaTools, { path, pictures, sound, isJoined }: GeneratedFile): Promise<Decoded> {
  const decodeTrack = async (track: string, options: readonly string[]) => {
    // ffmpeg takes the beginning of the tracks that it reads for that of the file, so all are read. If a clock jumps,
    // it would count each jump once for every track.
    const all = isJoined ? [] : ['-map', '0', '-c', 'copy', '-t', '0.01', '-f', 'null', '-'];
    const after = isJoined ? await secondsAfter(builds[0]!.tools, path, track) : 0;
    const arguments_ = ['-nostdin', '-hide_banner', '-i', path, '-map', track, ...options, 'pipe:1', ...all];
    const { stdout, stderr } = await run(tools.ffmpegPath, arguments_, { encoding: 'buffer', maxBuffer: 1024 ** 3 });
    const shown = stderr
      .toString()
      .split('\n')
      .filter((line) => /\bn:\s*\d+ pts:/u.test(line))
      .map((line) => ({ seconds: fieldIn(line, 'pts_time') + after, samples: fieldIn(line, 'nb_samples') }));
    return { stdout, shown };
  };
  const toPictures = [
    '-vf',
    'scale=16:9:flags=area,format=gray,showinfo',
    '-fps_mode',
    'passthrough',
    '-f',
    'rawvideo',
  ];
  const toSamples = [
    '-af',
    `aresample=${sampleRate},aformat=sample_fmts=s16:channel_layouts=mono,ashowinfo`,
    '-f',
    's16le',
  ];
  const [seen, heard] = await Promise.all([
    pictures === null ? null : decodeTrack(pictures, toPictures),
    sound === null ? null : decodeTrack(sound, toSamples),
  ]);
  const numbered = (seen?.shown ?? []).map(({ seconds }, index) => ({
    seconds,
    number: numberIn(seen!.stdout.subarray(index * 144, (index + 1) * 144)),
  }));
  const soundEnd = Math.max(0, ...(heard?.shown ?? []).map(({ seconds, samples }) => seconds + samples / sampleRate));
  const samples = new Float32Array(Math.ceil(soundEnd * sampleRate) + sampleRate);
  let [at, ends] = [0, -Infinity];
  for (const { seconds, samples: length } of heard?.shown ?? []) {
    const stated = Math.round(seconds * sampleRate);
    const begins = Math.abs(stated - ends) < roundedSamples ? ends : stated;
    ends = begins + length;
    for (let index = 0; index < length; index++, at++)
      if (begins + index >= 0) samples[begins + index] = heard!.stdout.readInt16LE(at * 2);
  }
  const picturesEnd = numbered.at(-1)?.seconds ?? 0;
  return { pictures: numbered, samples, seconds: Math.max(soundEnd, picturesEnd) };
}

/** Seconds from the beginning of a file to that of a track, which is the first or the second of its kind. */
async function secondsAfter({ ffprobePath }: MediaTools, path: string, track: string): Promise<number> {
  const entries = [
    '-v',
    'error',
    '-select_streams',
    track.slice(2),
    '-show_entries',
    'format=start_time:stream=start_time',
  ];
  const { stdout } = await run(ffprobePath, [...entries, '-of', 'json', path]);
  const { format, streams } = JSON.parse(stdout) as Record<'format', Start> & Record<'streams', Start[]>;
  return (Number(streams[0]!.start_time) || 0) - (Number(format.start_time) || 0);
}
interface Start {
  readonly start_time: string;
}

/** Many formats round times. */
const roundedSamples = 0.004 * sampleRate;

/** The number of a field in a line of ffmpeg's log; 0: the line has none. */
function fieldIn(line: string, name: string): number {
  return Number(new RegExp(String.raw`\b${name}:\s*(-?[\d.]+)`, 'u').exec(line)?.[1] ?? 0);
}

/** The number in a picture of 16 by 9 pixels. */
function numberIn(luma: Picture): number {
  let number = 0;
  for (let row = 0; row < cells.rows; row++)
    for (let column = 0; column < cells.columns; column++) {
      const x = Math.floor(((column + 0.5) * 16) / cells.columns);
      const y = Math.floor(((row + 0.5) * 9) / cells.rows);
      if (luma[y * 16 + x]! > 126) number += 2 ** (column + row * cells.columns);
    }
  return number;
}

/**
 * The pitch of samples in Hz, by the times at which they rise through 0; null: none is heard. Periods unlike the usual
 * one do not count, nor quiet ones. Joined parts are nearly silent at their border, as decoders begin with silence, and
 * there noise of the AAC encoder may rise through 0 once more. Counted as a period, it would be 25 Hz more in a window,
 * or a time of 62 ms, although all other rises are those of the decoder's samples.
 */
function pitchIn(samples: ArrayLike<number>, from: number, length: number): number | null {
  const all: { readonly length: number; readonly peak: number }[] = [];
  let [last, loudest, peak] = [-Infinity, 0, 0];
  for (let at = Math.max(1, from); at < from + length; at++) {
    const [before, here] = [samples[at - 1] ?? 0, samples[at] ?? 0];
    loudest = Math.max(loudest, Math.abs(here));
    peak = Math.max(peak, Math.abs(before));
    if (before >= 0 || here < 0) continue;
    const rise = at - 1 + before / (before - here);
    if (last > 0) all.push({ length: rise - last, peak });
    [last, peak] = [rise, 0];
  }
  const periods = all.flatMap((period) => (period.peak > loudest * quietShare ? [period.length] : []));
  const usual = periods.toSorted((a, b) => a - b)[Math.floor(periods.length / 2)]!;
  const alike = periods.filter((period) => Math.abs(period / usual - 1) < unlikePeriods);
  if (alike.length < 5 || loudest < 2000) return null;
  return (alike.length * sampleRate) / alike.reduce((sum, period) => sum + period, 0);
}

/** The chirp changes its period by 5 % in a window at most, and noise of encoders by less than the rest. */
const unlikePeriods = 0.2;
/** The chirp is as loud everywhere. Noise at borders has less than a seventh of that. */
const quietShare = 0.25;
const windowSamples = Math.round(0.04 * sampleRate);
const pitchAt = (samples: ArrayLike<number>, seconds: number) =>
  pitchIn(samples, Math.round(seconds * sampleRate) - windowSamples / 2, windowSamples);

/** Places around a time, in seconds, at which the sound of a decoder is looked at. Viewers may hear it moved so far. */
const lookedAt = [-0.1, -0.05, -tolerance.soundSeconds, 0, tolerance.soundSeconds, 0.05, 0.1];

/** The time that a pitch belongs to. */
const timeOf = (hertz: number): number => (hertz - chirp.fromHz) / chirp.risesHz;

/** Something that is not what a decoder gives. */
type Fault = string;

function faultsOfPictures(numbers: readonly number[], startFrame: number, decoded: Decoded, way: string): Fault[] {
  if (decoded.pictures.length === 0) return [];
  const shownAt = (seconds: number) => {
    const index = decoded.pictures.findLastIndex((picture) => picture.seconds <= seconds);
    return Math.max(0, index);
  };
  return numbers.flatMap((number, index) => {
    const seconds = (startFrame + index) / framesPerSecond;
    const [from, to] = [shownAt(seconds - tolerance.pictureSeconds), shownAt(seconds + tolerance.pictureSeconds)];
    const due = decoded.pictures.slice(from, to + 1).map((picture) => picture.number);
    return due.includes(number)
      ? []
      : [`${way}: picture ${number} at ${seconds.toFixed(2)} s instead of ${due.join()}`];
  });
}

interface HeardTimes {
  /** The time of the first sample that was heard. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Seconds at the beginning that are not judged. */
  readonly skipSeconds?: number;
}

function faultsOfSound(
  samples: ArrayLike<number>,
  { startSeconds, endSeconds, skipSeconds = 0 }: HeardTimes,
  decoded: Decoded,
  way: string,
): Fault[] {
  const faults: Fault[] = [];
  // The sound of an item fades out.
  const end = Math.min(samples.length / sampleRate, endSeconds - startSeconds) - 0.06;
  for (let at = skipSeconds + 0.03; at < end; at += 0.1) {
    const seconds = startSeconds + at;
    const around = lookedAt.map((by) => pitchAt(decoded.samples, seconds + by));
    // At the borders of parts, and where sound begins and ends, a window has no single pitch.
    if (around.some((pitch) => pitch === null)) continue;
    const times = around.map((pitch, index) => timeOf(pitch!) - lookedAt[index]!);
    const [earliest, latest] = [Math.min(...times), Math.max(...times)];
    if (latest - earliest > 0.02) continue;
    const pitch = pitchAt(samples, at);
    if (pitch === null) faults.push(`${way}: silence at ${seconds.toFixed(2)} s`);
    else if (Math.max(earliest - timeOf(pitch), timeOf(pitch) - latest) > tolerance.soundSeconds)
      faults.push(
        `${way}: sound of ${timeOf(pitch).toFixed(3)} s at ${seconds.toFixed(3)} s instead of ${earliest.toFixed(3)}`,
      );
  }
  return faults;
}

/** One channel of interleaved samples. */
const leftOf = (samples: Int16Array): Int16Array => samples.filter((_, index) => index % 2 === 0);

/** The samples of prepared sound, as a viewer hears them. */
async function heardIn({ ffmpegPath }: MediaTools, segment: Buffer): Promise<Int16Array> {
  const header = readSegmentHeader(segment);
  const ingest = new CheckingIngest();
  ingest.send([{ type: 'audio', timestampMs: 0, payload: header.audioSequenceHeader }]);
  ingest.sendChunks([segment.subarray(header.mediaStart)]);
  const decoder = execFile(
    ffmpegPath,
    ['-v', 'error', '-f', 'flv', '-i', 'pipe:0', '-map', '0:a', '-ac', '1', '-f', 's16le', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 1024 ** 3 },
    () => {},
  );
  decoder.stdin!.end(flvOf(ingest));
  const parts: Buffer[] = [];
  for await (const part of decoder.stdout!) parts.push(part);
  const bytes = Buffer.concat(parts);
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Everything that is wrong with a file, from its start and from other times, with both backends. */
async function faultsOf(seed: number, isClip: boolean): Promise<Fault[]> {
  const { tools } = builds[seed % builds.length]!;
  const random = seeded(seed * 104_729 + 7);
  random();
  const recipe = recipeOf(seed);
  await using file = await generate(builds[0]!.tools.ffmpegPath, recipe);
  const [whole, probed] = await Promise.all([
    decode(tools, file),
    probeMedia(tools, file.path, { mimeType: null, type: null, fileSize: null }, never),
  ]);
  const { decoded, facts } = isClip ? clipped(whole, probed, seed) : { decoded: whole, facts: probed };
  const seconds = facts.durationSeconds!;
  const faults: Fault[] = [];
  if (!isClip && Math.abs(seconds - decoded.seconds) > tolerance.lengthSeconds)
    faults.push(`it lasts ${seconds.toFixed(2)} s instead of ${decoded.seconds.toFixed(2)}`);
  const last = Math.min(seconds, decoded.seconds) - takeoverFrames / framesPerSecond;
  const starts = Array.from({ length: takeovers }, () => Math.floor(random() * last * framesPerSecond));
  if (file.pictures !== null) faults.push(...(await faultsInPictures(tools, file, facts, decoded, starts)));
  if (file.sound !== null) faults.push(...(await faultsInSound(tools, file, facts, decoded, starts)));
  return faults;
}

/** A part of a file, as a decoder gives it, and as the facts of a clip name it. */
function clipped({ pictures, samples, seconds }: Decoded, facts: MediaFacts, seed: number) {
  const random = seeded(seed * 15_485_863 + 3);
  random();
  const length = facts.durationSeconds!;
  const fromSeconds = Math.round(random() * 0.6 * length * 1000) / 1000;
  const durationSeconds = Math.round(Math.min(length - fromSeconds, 1.2 + random() * length) * 1000) / 1000;
  const decoded = {
    pictures: pictures.map((picture) => ({ ...picture, seconds: picture.seconds - fromSeconds })),
    samples: samples.subarray(Math.round(fromSeconds * sampleRate)),
    seconds: Math.min(seconds - fromSeconds, durationSeconds),
  };
  return { decoded, facts: { ...facts, durationSeconds, reading: { ...facts.reading, fromSeconds } } };
}

async function faultsInPictures(
  tools: MediaTools,
  { path }: GeneratedFile,
  { reading, durationSeconds }: MediaFacts,
  decoded: Decoded,
  starts: readonly number[],
): Promise<Fault[]> {
  const layers = [onlyLayer({ sourceURL: path, kind: 'video', ...(reading && { reading }) })];
  const frameCount = frameCountOf({ durationSeconds: durationSeconds! }, framesPerSecond);
  const group = gopFrames * Math.floor(((starts[0]! / gopFrames) * 7) % Math.ceil(frameCount / gopFrames));
  const ways = [
    { way: 'encoded', startFrame: 0, frameCount },
    ...starts.map((startFrame) => ({ way: 'taken over', startFrame, frameCount: takeoverFrames })),
    { way: 'prepared', startFrame: group, frameCount: Math.min(gopFrames, frameCount - group) },
  ];
  const encoder = fastEncoder;
  const items = ways.map(({ way, ...frames }) =>
    way === 'prepared'
      ? preparedPictures(tools, layers, frames)
      : encodeItem(tools, { layers, audio: null, profile, encoder, ...frames }),
  );
  const pictures = await decodePictures(tools, joinItems(await Promise.all(items)));
  let at = 0;
  return ways.flatMap(({ way, startFrame, frameCount: length }) => {
    const numbers = pictures.slice(at, (at += length)).map(numberIn);
    const missing = numbers.length === length ? [] : [`${way}: ${numbers.length} of ${length} pictures`];
    return [...missing, ...faultsOfPictures(numbers, startFrame, decoded, way)];
  });
}

/** Pictures that are prepared as those of a segment that begins with them, as frames of an item. */
async function preparedPictures(
  tools: MediaTools,
  layers: ReturnType<typeof onlyLayer>[],
  { startFrame, frameCount }: { readonly startFrame: number; readonly frameCount: number },
): ReturnType<typeof encodeItem> {
  const range = { first: startFrame, end: startFrame + frameCount };
  const request = { layers, encoder: fastEncoder };
  const { messages, sequenceHeader } = await encodePictures({ tools, request, signal: never }, range, profile);
  const ingest = new CheckingIngest();
  ingest.send([{ type: 'video', timestampMs: 0, payload: sequenceHeader }]);
  ingest.sendChunks(messages);
  const [, ...pictures] = ingest.video;
  return pictures.map(({ payload }, index) => ({
    index,
    keyframe: index === 0,
    compositionDelayFrames: 0,
    payload,
    ...(index === 0 && { sequenceHeader }),
  }));
}

async function faultsInSound(
  tools: MediaTools,
  { path }: GeneratedFile,
  { reading, durationSeconds }: MediaFacts,
  decoded: Decoded,
  starts: readonly number[],
): Promise<Fault[]> {
  const frameCount = frameCountOf({ durationSeconds: durationSeconds! }, framesPerSecond);
  const ways = [
    { way: 'encoded', startFrame: 0, frameCount },
    ...starts.map((startFrame) => ({ way: 'taken over', startFrame, frameCount: takeoverFrames })),
  ];
  const layers = [onlyLayer({ sourceURL: path, kind: 'video' })];
  const encoded = ways.map(async ({ way, ...frames }) => {
    const samples = await readSound(tools, { layers, audio: null, profile, encoder: fastEncoder, ...frames }, reading);
    return faultsOfSound(
      leftOf(samples),
      { startSeconds: frames.startFrame / framesPerSecond, endSeconds: durationSeconds! },
      decoded,
      way,
    );
  });
  return (
    await Promise.all([...encoded, ...preparedSound(tools, path, reading, decoded, durationSeconds!, starts)])
  ).flat();
}

function preparedSound(
  tools: MediaTools,
  path: string,
  reading: MediaFacts['reading'],
  decoded: Decoded,
  durationSeconds: number,
  [start]: readonly number[],
): Promise<Fault[]>[] {
  const rendition = renditionOf('generated', { kind: 'audio', durationSeconds }, 'sound');
  const firstGroup = firstSoundFrameFrom(start!, framesPerSecond);
  const sound = plainSound(path);
  const composition = { layers: [], sound: { ...sound, item: { ...sound.item, ...(reading && { reading }) } } };
  const named = { contentHash: 'generated', format: 'sound' };
  const part = { composition, format: null, rendition: named, firstGroup, groupCount: 40 };
  const source = { sourceURL: path, kind: 'audio', hasAudio: true, ...(reading && { reading }) } as const;
  const secondsOf = (group: number) => (group * audioFormat.samplesPerAacFrame) / sampleRate;
  const judge = async (making: Promise<Buffer>, group: number, way: string) => {
    const times = { startSeconds: secondsOf(group), skipSeconds: secondsOf(1), endSeconds: durationSeconds };
    return faultsOfSound(await heardIn(tools, await making), times, decoded, way);
  };
  const drawings = { logoURL: async () => '', captionsOf: async () => null };
  return [
    judge(prepareSegment(tools, { rendition, segment: 0, ...source, encoder: null }, never), 0, 'prepared'),
    judge(preparePart(tools, { part, urlOf: (of) => of, encoder: null, drawings }, never), firstGroup, 'prepared part'),
  ];
}

/** Seeds that failed once: keyframes out of order, marks at the end, joined Ogg, rounded times, noise at a border. */
const mended = [1069, 1267, 1277, 1511, 1586, 2003, 2040, 2054, 2070, 3093, 3585];

it.each([
  { way: 'whole', isClip: false, files: count },
  { way: 'as clips', isClip: true, files: Math.ceil(count / 4) },
])(
  '$files generated files and those mended, $way, show and sound at each time what a decoder gives',
  { timeout: (count + mended.length) * 60_000 },
  async ({ isClip, files }) => {
    const seeds = [...mended, ...Array.from({ length: files }, (_, index) => firstSeed + index)].values();
    const failed: string[] = [];
    const work = async () => {
      for (const seed of seeds) {
        // oxlint-disable-next-line no-await-in-loop -- a few at a time
        const faults = await faultsOf(seed, isClip).catch((error: unknown) => [String(error)]);
        if (faults.length === 0) continue;
        failed.push(
          `seed ${seed} ${JSON.stringify(recipeOf(seed))}\n  ${faults.slice(0, 6).join('\n  ')} (${faults.length})`,
        );
        if (process.env.GENERATED_FILES) console.log(failed.at(-1));
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, work));
    expect(failed).toEqual([]);
  },
);
