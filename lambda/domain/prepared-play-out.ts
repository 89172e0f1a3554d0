// When each prepared picture and each prepared frame of sound is sent: a pure function of the frame, exact for as long as a stream runs.
import type { Occurrence } from './play-out.ts';

/**
 * Thirds of a millisecond. A picture at 24, 25, 30 and 60 frames per second and an AAC frame at 48 kHz each last a whole number of
 * them, so that no rounding ever adds up.
 */
const ticksPerMs = 3;
const ticksPerSecond = 1000 * ticksPerMs;
/** 1024 samples at 48 kHz. */
const soundFrameTicks = 64;

/** One playing of a rendition from its beginning, cut off where its time in the stream is over. Frames count from the anchor of the run. */
export interface Playing {
  readonly occurrence: Occurrence;
  readonly startFrame: number;
  readonly frameCount: number;
}

/**
 * The playing that contains `frame`. A rendition that is shorter than its occurrence plays again and again, as that of a still image
 * does, and one that stands in for another.
 * @param renditionFrames length of the rendition in frames, at least 1
 */
export function playingAt(occurrence: Occurrence, frame: number, renditionFrames: number): Playing {
  const repetition = Math.floor((frame - occurrence.startFrame) / renditionFrames);
  const startFrame = occurrence.startFrame + repetition * renditionFrames;
  const end = occurrence.startFrame + occurrence.frameCount;
  return { occurrence, startFrame, frameCount: Math.min(renditionFrames, end - startFrame) };
}

/** Decoding time of a rendition's picture, counted from the first. Whole milliseconds. */
export function pictureOffsetMs(picture: number, framesPerSecond: number): number {
  return toMs(picture * frameTicks(framesPerSecond));
}

/** Time of a rendition's frame of sound, counted from the first. Whole milliseconds. */
export function soundOffsetMs(soundFrame: number): number {
  return toMs(soundFrame * soundFrameTicks);
}

/** When a picture of a playing is decoded: milliseconds since the anchor. */
export function pictureMs(
  { startFrame }: Pick<Playing, 'startFrame'>,
  picture: number,
  framesPerSecond: number,
): number {
  return toMs(startFrame * frameTicks(framesPerSecond)) + pictureOffsetMs(picture, framesPerSecond);
}

/**
 * When a frame of sound of a playing is heard: milliseconds since the anchor. Sound keeps to a grid of its own, from the anchor on, so that
 * it has no seam; the first frame of a playing is the one nearest to its first picture, at most half an AAC frame (10.7 ms) from it.
 * @param delayFrames how long after its decoding a picture is shown
 */
export function soundMs(
  { startFrame }: Pick<Playing, 'startFrame'>,
  soundFrame: number,
  framesPerSecond: number,
  delayFrames: number,
): number {
  const delayTicks = delayFrames * frameTicks(framesPerSecond);
  return toMs(soundGridFrame(startFrame, framesPerSecond) * soundFrameTicks + delayTicks) + soundOffsetMs(soundFrame);
}

/** How many frames of sound a playing has: as many as there are on the grid before the next playing begins. */
export function soundFramesOf(
  { startFrame, frameCount }: Pick<Playing, 'startFrame' | 'frameCount'>,
  framesPerSecond: number,
): number {
  return soundGridFrame(startFrame + frameCount, framesPerSecond) - soundGridFrame(startFrame, framesPerSecond);
}

/** The first frame of sound of a rendition that begins at or after this picture. */
export function firstSoundFrameFrom(picture: number, framesPerSecond: number): number {
  return Math.ceil((picture * frameTicks(framesPerSecond)) / soundFrameTicks);
}

/** The picture during which a rendition's frame of sound begins. */
export function pictureOfSoundFrame(soundFrame: number, framesPerSecond: number): number {
  return Math.floor((soundFrame * soundFrameTicks) / frameTicks(framesPerSecond));
}

function frameTicks(framesPerSecond: number): number {
  return ticksPerSecond / framesPerSecond;
}

/** Thirds never lie half way between two milliseconds, so this is the same on every machine. */
function toMs(ticks: number): number {
  return Math.round(ticks / ticksPerMs);
}

/** The frame of the grid of sound that is nearest to a frame of the stream. */
export function soundGridFrame(frame: number, framesPerSecond: number): number {
  return Math.round((frame * frameTicks(framesPerSecond)) / soundFrameTicks);
}
