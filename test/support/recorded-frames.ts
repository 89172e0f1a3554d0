// Recordings of a programme beside its timeline: the colour of each frame, the tone of each half second, and packets.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { audioFormat } from '../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { coloursOf, samplesOf, toneAt } from './colour-clip.ts';
import type { Colour } from './colour-clip.ts';
import type { Clip, Clips, Row } from './programme-on-air.ts';

export const framesPerSecond = 30;

/** The clip that a frame of a run plays. All frames of one part of a row have the same object. */
interface Playing {
  readonly clip: Clip;
  /** The clip that the frame still shows while a crossfade leads to its own one; absent: only its own one. */
  readonly from?: Clip;
  readonly isAcknowledged: boolean;
  /** Whether the clip plays in place of the item of the row. */
  readonly isStandIn: boolean;
}

/** The clips that the frames of a run play, by their numbers. */
type PlayedFrames = readonly (Playing | undefined)[];

interface RecordedFrames {
  readonly colours: readonly Colour[];
  readonly samples: Int16Array;
}

/** The result of a comparison. */
export interface Comparison {
  readonly frames: number;
  /** Half seconds of sound. */
  readonly tones: number;
  /** Frames that mix two clips in a crossfade. */
  readonly mixed: number;
  /** Every difference from the timeline, in words. */
  readonly wrong: readonly string[];
}

/** The recording of one connection. */
export interface Recording {
  readonly file: string;
  readonly beganAtMs: number;
}

/** The recordings of a replica beside the timeline of its run. */
export interface RecordedRun extends Comparison {
  /** Each with the frame of the run that is its first one. */
  readonly connections: readonly { readonly file: string; readonly origin: number; readonly frames: number }[];
  /** Numbers of all recorded frames. */
  readonly recorded: ReadonlySet<number>;
}

const aacFramesPerSecond = audioFormat.sampleRate / audioFormat.samplesPerAacFrame;
const millisecondsPerFrame = 1000 / framesPerSecond;
const halfSecond = framesPerSecond / 2;
/** Frames around a half second that play its clip, too: items fade in and out, and sound has a grid of its own. */
const margin = 5;
/** Frames before and after an estimated one, among which the first frame of a recording is looked for. */
const searchedFrames = 5 * framesPerSecond;

/** The number of the frame that is due at a time, from the beginning of the first row. */
export function framesSince(first: string): (time: string | number) => number {
  const anchoredMs = Date.parse(first);
  const msOf = (time: string | number) => (typeof time === 'string' ? Date.parse(time) : time);
  return (time) => Math.floor((msOf(time) - anchoredMs) / millisecondsPerFrame + 0.01);
}

/** The frames of a run. @param rows from its first one on @param crossfadeSeconds the longest crossfade of items */
function playedFrames(rows: readonly Row[], clipOf: Clips, crossfadeSeconds = 0): PlayedFrames {
  const frameOf = framesSince(rows[0]!.startAt);
  const frames: (Playing | undefined)[] = [];
  for (const [index, { startAt, endAt, uploadID, aired }] of rows.entries()) {
    const first = frameOf(startAt);
    const put = (from: number, to: number, playing: Playing) => {
      for (let frame = from; frame < to; frame++) frames[frame] = playing;
    };
    const own = { clip: clipOf.get(uploadID)!, isStandIn: false };
    put(first, frameOf(endAt), { ...own, isAcknowledged: false });
    for (const { fromSeconds, toSeconds, standInUploadID } of aired) {
      const played = standInUploadID === '' ? own : { clip: clipOf.get(standInUploadID)!, isStandIn: true };
      const [from, to] = [fromSeconds, toSeconds].map((seconds) => first + Math.round(seconds * framesPerSecond));
      put(from!, to!, { ...played, isAcknowledged: true });
    }
    const crossfade = crossfadeSeconds > 0 ? crossfadeInto(rows, index, clipOf, crossfadeSeconds) : null;
    if (!crossfade) continue;
    const { isAcknowledged } = frames[first]!;
    put(first, first + crossfade.frames, { ...own, from: crossfade.clip, isAcknowledged });
  }
  return frames;
}

/** The clip that a row begins over, and the frames for which both are on the air; null: it begins by a cut. */
function crossfadeInto(rows: readonly Row[], index: number, clipOf: Clips, mostSeconds: number) {
  const [before, row] = [rows[index - 1], rows[index]!];
  if (before?.kind !== 'item' || row.kind !== 'item') return null;
  const clip = clipOf.get(before.uploadID)!;
  const seconds = clip.seconds - (Date.parse(row.startAt) - Date.parse(before.startAt)) / 1000;
  const frames = Math.round(seconds * framesPerSecond);
  return frames > 0 && seconds < mostSeconds + 0.01 ? { clip, frames } : null;
}

async function recordedFrames(tools: MediaTools, file: string): Promise<RecordedFrames> {
  return { colours: await coloursOf(tools, file), samples: await samplesOf(tools, file) };
}

/** Compares all frames and tones of a recording. @param origin the frame of the run that is its first one */
function compareWithTimeline({ colours, samples }: RecordedFrames, origin: number, played: PlayedFrames): Comparison {
  let mixed = 0;
  const wrong = colours.flatMap((colour, index) => {
    const playing = played[origin + index];
    if (playing && isAlike(colour, playing.clip.colour)) return [];
    if (playing?.from && isBetween(colour, playing.from.colour, playing.clip.colour)) {
      if (!isAlike(colour, playing.from.colour)) mixed++;
      return [];
    }
    return [`frame ${origin + index} is ${colour.join(' ')} in ${playing?.clip.name ?? 'no row'}`];
  });
  let tones = 0;
  for (let from = margin; from + halfSecond + margin <= colours.length; from += halfSecond) {
    const playing = played[origin + from - margin];
    // A clip that stands in for a longer item begins again, perhaps in the middle.
    if (!playing || playing.isStandIn || playing.from || playing !== played[origin + from + halfSecond + margin - 1])
      continue;
    tones++;
    const tone = toneAt(samples, from / framesPerSecond);
    if (Math.abs(tone - playing.clip.toneHz) >= 20)
      wrong.push(`frame ${origin + from} sounds at ${tone} Hz in ${playing.clip.name}`);
  }
  return { frames: colours.length, tones, mixed, wrong };
}

/**
 * The frame of the run that is the first one of a recording: that with the fewest wrong colours.
 * @param estimate of that frame, from the time at which the recording began
 */
function originOf({ colours }: RecordedFrames, estimate: number, played: PlayedFrames): number {
  const differences = (origin: number) =>
    colours.filter((colour, index) => {
      const playing = played[origin + index];
      return !playing || !isAlike(colour, playing.clip.colour);
    }).length;
  let best = { origin: estimate, count: Infinity };
  for (let origin = Math.max(0, estimate - searchedFrames); origin <= estimate + searchedFrames; origin++) {
    const count = differences(origin);
    if (count < best.count) best = { origin, count };
  }
  return best.origin;
}

function isAlike(one: Colour, other: Colour): boolean {
  return one.every((part, index) => Math.abs(part - other[index]!) <= 12);
}

/** Whether a colour is a mixture of two others. */
function isBetween(one: Colour, first: Colour, second: Colour): boolean {
  return one.every((part, index) => {
    const [low, high] = [Math.min(first[index]!, second[index]!), Math.max(first[index]!, second[index]!)];
    return part >= low - 12 && part <= high + 12;
  });
}

/**
 * Compares all recordings of a replica with its timeline.
 * @param rows from the first one of the run on
 * @param crossfadeSeconds the longest crossfade of items
 */
export async function compareRun(
  tools: MediaTools,
  recordings: readonly Recording[],
  rows: readonly Row[],
  clipOf: Clips,
  crossfadeSeconds = 0,
): Promise<RecordedRun> {
  const played = playedFrames(rows, clipOf, crossfadeSeconds);
  const frameOf = framesSince(rows[0]!.startAt);
  const connections: { file: string; origin: number; frames: number }[] = [];
  const wrong: string[] = [];
  const recorded = new Set<number>();
  let [frames, tones, mixed] = [0, 0, 0];
  for (const { file, beganAtMs } of recordings) {
    const recording = await recordedFrames(tools, file);
    const origin = originOf(recording, frameOf(beganAtMs), played);
    const compared = compareWithTimeline(recording, origin, played);
    connections.push({ file, origin, frames: compared.frames });
    wrong.push(...compared.wrong);
    frames += compared.frames;
    tones += compared.tones;
    mixed += compared.mixed;
    for (const index of recording.colours.keys()) recorded.add(origin + index);
  }
  return { frames, tones, mixed, wrong, connections, recorded };
}

/** The frames of a run that the destination acknowledged. */
export function acknowledgedFrames(rows: readonly Row[], clipOf: Clips): number[] {
  return playedFrames(rows, clipOf).flatMap((playing, frame) => (playing?.isAcknowledged ? [frame] : []));
}

/** Hashes of the received packets of a replica, by their kinds and their places in the run. */
export async function packetsByPlace(
  { ffmpegPath }: MediaTools,
  { connections }: Pick<RecordedRun, 'connections'>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { file, origin } of connections) {
    const copied = ['-map', '0:v', '-map', '0:a', '-c', 'copy', '-f', 'framehash', '-hash', 'md5', '-'];
    const args = ['-nostdin', '-v', 'error', '-copyts', '-i', file, ...copied];
    const { stdout } = await promisify(execFile)(ffmpegPath, args, { maxBuffer: 1 << 26 });
    const first = origin / framesPerSecond;
    for (const line of stdout.split('\n').filter((line) => /^\d/.test(line))) {
      const [track, dts, , , , hash] = line.split(',').map((cell) => cell.trim());
      const [kind, perSecond] = track === '0' ? ['picture', framesPerSecond] : ['sound', aacFramesPerSecond];
      found.set(`${kind} ${Math.round((Number(dts) / 1000 + first) * perSecond)}`, hash!);
    }
  }
  return found;
}
