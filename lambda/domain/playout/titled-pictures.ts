// Prepared pictures with texts that tell of the sound track: which are made of two timelines, and where they are sent.
import { occurrenceAt } from './play-out.ts';
import { longestToldSeconds, placedPictures, picturesOf, soundOfPictures, variantOver } from './picture-joins.ts';
import type { PlacedPictureJoin } from './picture-joins.ts';
import { playingAt } from './prepared-play-out.ts';
import type { Playing } from './prepared-play-out.ts';
import { formatName, gopSeconds, renditionOf } from './rendition.ts';
import type { PictureFormat } from './rendition.ts';
import type { JoinedTrack } from './sound-joins.ts';
import { overlaysAt, soundTexts } from './sound-titles.ts';
import type { FrameStretch } from './sound-titles.ts';
import { framesPerSecond as rates } from '../shared/video-format.ts';

/** So much of an item is looked at together: its texts are in one object, with what is between them. */
const chunkSeconds = 20;

/** The chunk of a playing that a picture of it is in. */
export function chunkOf({ frameCount }: Pick<Playing, 'frameCount'>, picture: number, framesPerSecond: number) {
  const length = chunkSeconds * framesPerSecond;
  const first = Math.floor(picture / length) * length;
  return { first, end: Math.min(first + length, frameCount) };
}

/**
 * The pictures of the chunk of a playing that a picture is in, with the texts over them, in whole GOPs.
 * @returns null where there are no texts, or not known what the item was prepared from
 */
export function titledPicturesAt(
  track: JoinedTrack,
  playing: Playing,
  picture: number,
  format: PictureFormat,
): PlacedPictureJoin | null {
  const { heard, entries } = track;
  const { occurrence, startFrame } = playing;
  const overlays = overlaysAt(entries, occurrence);
  if (!heard || !overlays?.ofSound) return null;
  const rate = rates[format.framerate];
  const chunk = chunkOf(playing, picture, rate);
  const stretch = { startFrame: startFrame + chunk.first, frameCount: chunk.end - chunk.first };
  const texts = soundTexts(overlays, heard, stretch, rate, longestToldSeconds(occurrence.item));
  if (texts.length === 0) return null;
  const gop = gopSeconds * rate;
  const gopAt = (seconds: number) => Math.floor(Math.round(seconds * rate) / gop) * gop;
  const first = chunk.first + Math.min(...texts.map(({ fromSeconds }) => gopAt(fromSeconds)));
  const lastGop = Math.max(
    ...texts.map(({ toSeconds }) => (toSeconds === null ? Infinity : gopAt(toSeconds - 1 / rate))),
  );
  const end = Math.min(chunk.end, chunk.first + lastGop + gop);
  const groups = { first, end };
  const variant = variantOver(track, occurrence, { baseFrame: startFrame, ...groups }, rate);
  const own = picturesOf(track, occurrence, format, first, variant);
  if (!own) return null;
  const place = { shape: 'plain', seconds: 0, firstGroup: first, groupCount: end - first } as const;
  const sound = soundOfPictures(place, own.sound, null, rate);
  const recipe = { ...place, format: formatName(format), item: own.pictures, from: null, sound };
  return placedPictures(recipe, startFrame + first, [variant]);
}

/** All of them that begin within a stretch of a run, each once, in their order. */
export function titledPicturesWithin(
  track: JoinedTrack,
  { startFrame, frameCount }: FrameStretch,
  format: PictureFormat,
): PlacedPictureJoin[] {
  const rate = rates[format.framerate];
  const found = new Map<string, PlacedPictureJoin>();
  for (let frame = startFrame; frame < startFrame + frameCount;) {
    const occurrence = occurrenceAt(track.entries, frame, rate);
    const playing = playingAt(occurrence, frame, renditionOf('', occurrence.item, format).groupCount);
    const picture = frame - playing.startFrame;
    const titled = titledPicturesAt(track, playing, picture, format);
    if (titled && !found.has(titled.name)) found.set(titled.name, titled);
    frame = playing.startFrame + chunkOf(playing, picture, rate).end;
  }
  return [...found.values()];
}
