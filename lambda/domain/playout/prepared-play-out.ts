// When each prepared picture and frame of sound is sent: a pure function of the frame number.
// Its errors do not grow, however long a stream runs.
import { fromOrigin } from './play-out.ts';
import type { ItemOccurrence } from './play-out.ts';

/**
 * A tick is a third of a millisecond. A picture at 24, 25, 30 or 60 frames per second, and an AAC frame at 48 kHz, last
 * a whole number of ticks, so that rounding errors do not add up.
 */
const ticksPerMs = 3;
const ticksPerSecond = 1000 * ticksPerMs;
/** An AAC frame: 1024 samples at 48 kHz. */
const soundFrameTicks = 64;

/**
 * One playback of a rendition, cut off at the end of its item occurrence. Frames count from the anchor of the run.
 */
export interface Playing {
  readonly occurrence: ItemOccurrence;
  /** The frame at which the first picture of the rendition is due, also if it is skipped. */
  readonly startFrame: number;
  readonly frameCount: number;
  /** The first pictures, which are not sent: the occurrence is a later part of its item. 0: all are sent. */
  readonly skippedFrames: number;
}

/**
 * The playback that contains `frame`. A rendition that is shorter than its occurrence plays repeatedly: a still image,
 * or a stand-in.
 * @param renditionFrames length of the rendition in frames, at least 1
 */
export function playingAt(occurrence: ItemOccurrence, frame: number, renditionFrames: number): Playing {
  const { startFrame: origin } = fromOrigin(occurrence);
  const repetition = Math.floor((frame - origin) / renditionFrames);
  const startFrame = origin + repetition * renditionFrames;
  const end = occurrence.startFrame + occurrence.frameCount;
  const skippedFrames = Math.max(0, occurrence.startFrame - startFrame);
  return { occurrence, startFrame, frameCount: Math.min(renditionFrames, end - startFrame), skippedFrames };
}

/** The decode time of a picture of a rendition, in whole milliseconds after its first picture. */
export function pictureOffsetMs(picture: number, framesPerSecond: number): number {
  return toMs(picture * frameTicks(framesPerSecond));
}

/** The time of a frame of sound of a rendition, in whole milliseconds after its first one. */
export function soundOffsetMs(soundFrame: number): number {
  return toMs(soundFrame * soundFrameTicks);
}

/** The decode time of a picture of a playback, in milliseconds since the anchor. */
export function pictureMs(
  { startFrame }: Pick<Playing, 'startFrame'>,
  picture: number,
  framesPerSecond: number,
): number {
  return toMs(startFrame * frameTicks(framesPerSecond)) + pictureOffsetMs(picture, framesPerSecond);
}

/**
 * The time of a frame of sound of a playback, in milliseconds since the anchor. Sound has its own frame grid, which
 * begins at the anchor, so that there is no gap between two playbacks. The first frame of a playback is the frame
 * nearest to its first picture: at most half an AAC frame (10.7 ms) apart.
 * @param compositionDelayFrames frames from the decoding of a picture to its display
 */
export function soundMs(
  playing: Pick<Playing, 'startFrame'>,
  soundFrame: number,
  framesPerSecond: number,
  compositionDelayFrames: number,
): number {
  const delayTicks = compositionDelayFrames * frameTicks(framesPerSecond);
  return toMs(soundOriginOf(playing, framesPerSecond) * soundFrameTicks + delayTicks) + soundOffsetMs(soundFrame);
}

/** The frame in the sound grid at which the first frame of sound of a rendition is due, also if it is skipped. */
export function soundOriginOf({ startFrame }: Pick<Playing, 'startFrame'>, framesPerSecond: number): number {
  return soundGridFrame(startFrame, framesPerSecond);
}

/**
 * The first frame of sound of a rendition that is sent if it begins with a picture after other media: the frame nearest
 * to the picture, also if it begins before the picture is decoded. Without it, a frame of the grid would be empty.
 */
export function soundFrameNearest(
  { startFrame }: Pick<Playing, 'startFrame'>,
  picture: number,
  framesPerSecond: number,
): number {
  return soundGridFrame(startFrame + picture, framesPerSecond) - soundGridFrame(startFrame, framesPerSecond);
}

/** The number of frames of sound of a rendition up to the first frame of the next playback, with those skipped. */
export function soundFramesOf(
  { startFrame, frameCount }: Pick<Playing, 'startFrame' | 'frameCount'>,
  framesPerSecond: number,
): number {
  return soundGridFrame(startFrame + frameCount, framesPerSecond) - soundGridFrame(startFrame, framesPerSecond);
}

/** The first frame of sound of a rendition that begins at or after a picture. */
export function firstSoundFrameFrom(picture: number, framesPerSecond: number): number {
  return Math.ceil((picture * frameTicks(framesPerSecond)) / soundFrameTicks);
}

/** The picture during which a frame of sound of a rendition begins. */
export function pictureOfSoundFrame(soundFrame: number, framesPerSecond: number): number {
  return Math.floor((soundFrame * soundFrameTicks) / frameTicks(framesPerSecond));
}

function frameTicks(framesPerSecond: number): number {
  return ticksPerSecond / framesPerSecond;
}

/** No tick is half way between two milliseconds, so all machines round it equally. */
function toMs(ticks: number): number {
  return Math.round(ticks / ticksPerMs);
}

/** The number of the frame in the sound grid that is nearest to a frame of the stream. */
export function soundGridFrame(frame: number, framesPerSecond: number): number {
  return Math.round((frame * frameTicks(framesPerSecond)) / soundFrameTicks);
}
