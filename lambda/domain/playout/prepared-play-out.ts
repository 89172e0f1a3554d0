// When each prepared picture and frame of sound is sent: a pure function of the frame number.
// Its errors do not grow, however long a stream runs.
import type { ItemOccurrence } from './play-out.ts';

/**
 * A tick is a third of a millisecond. A picture at 24, 25, 30 or 60 frames per second and an AAC frame at 48 kHz each
 * last a whole number of ticks, so that no rounding errors add up.
 */
const ticksPerMs = 3;
const ticksPerSecond = 1000 * ticksPerMs;
/** An AAC frame: 1024 samples at 48 kHz. */
const soundFrameTicks = 64;

/**
 * One playing of a rendition from its beginning, cut off at the end of the item occurrence that it is for. Frames count
 * from the anchor of the run.
 */
export interface Playing {
  readonly occurrence: ItemOccurrence;
  readonly startFrame: number;
  readonly frameCount: number;
}

/**
 * The playing that contains `frame`. A rendition that is shorter than its item occurrence plays again and again: that
 * of a still image does, and one that stands in for another rendition.
 * @param renditionFrames length of the rendition in frames, at least 1
 */
export function playingAt(occurrence: ItemOccurrence, frame: number, renditionFrames: number): Playing {
  const repetition = Math.floor((frame - occurrence.startFrame) / renditionFrames);
  const startFrame = occurrence.startFrame + repetition * renditionFrames;
  const end = occurrence.startFrame + occurrence.frameCount;
  return { occurrence, startFrame, frameCount: Math.min(renditionFrames, end - startFrame) };
}

/** When a picture of a rendition is decoded, in whole milliseconds after its first picture. */
export function pictureOffsetMs(picture: number, framesPerSecond: number): number {
  return toMs(picture * frameTicks(framesPerSecond));
}

/** When a frame of sound of a rendition is heard, in whole milliseconds after its first one. */
export function soundOffsetMs(soundFrame: number): number {
  return toMs(soundFrame * soundFrameTicks);
}

/** When a picture of a playing is decoded, in milliseconds since the anchor. */
export function pictureMs(
  { startFrame }: Pick<Playing, 'startFrame'>,
  picture: number,
  framesPerSecond: number,
): number {
  return toMs(startFrame * frameTicks(framesPerSecond)) + pictureOffsetMs(picture, framesPerSecond);
}

/**
 * When a frame of sound of a playing is heard, in milliseconds since the anchor. Sound has a frame grid of its own,
 * which begins at the anchor, so that there is no gap between two playings. The first frame of a playing is the one
 * nearest to its first picture, at most half an AAC frame (10.7 ms) from it.
 * @param compositionDelayFrames how many frames after its decoding a picture is shown
 */
export function soundMs(
  { startFrame }: Pick<Playing, 'startFrame'>,
  soundFrame: number,
  framesPerSecond: number,
  compositionDelayFrames: number,
): number {
  const delayTicks = compositionDelayFrames * frameTicks(framesPerSecond);
  return toMs(soundGridFrame(startFrame, framesPerSecond) * soundFrameTicks + delayTicks) + soundOffsetMs(soundFrame);
}

/** How many frames of sound a playing has: those of the sound grid before the first one of the next playing. */
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

/** No tick lies half way between two milliseconds, so every machine rounds it to the same one. */
function toMs(ticks: number): number {
  return Math.round(ticks / ticksPerMs);
}

/** The number of the frame of the sound grid that is nearest to a frame of the stream. */
export function soundGridFrame(frame: number, framesPerSecond: number): number {
  return Math.round((frame * frameTicks(framesPerSecond)) / soundFrameTicks);
}
