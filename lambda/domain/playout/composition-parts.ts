// The parts of items that differ from their renditions. The prepared backend makes each once for all streams.
import {
  composedSound,
  joinedGroups,
  samplesPerSoundFrame,
  soundWithin,
  sourceOf,
  sourcesOfSound,
} from './composed-sound.ts';
import type { ComposedSound, ComposedTrack } from './composed-sound.ts';
import { compose, layersOf, longestTitledSeconds, placedItem, shifted, sourcesOf } from './composition.ts';
import type { Composition, FrameRange } from './composition.ts';
import { frameCountOf, fromOrigin, isCutOff, occurrenceAt } from './play-out.ts';
import type { ItemOccurrence } from './play-out.ts';
import { playingAt, soundFramesOf } from './prepared-play-out.ts';
import type { Playing } from './prepared-play-out.ts';
import { formatName, formatOfItem, gopSeconds, renditionOf } from './rendition.ts';
import type { PictureFormat } from './rendition.ts';
import { overlaysAt, soundTexts } from './sound-titles.ts';
import type { FrameStretch } from './sound-titles.ts';
import type { SoundUnder } from './sound.ts';
import { sha256 } from '../shared/sha256.ts';
import { framesPerSecond as rates } from '../shared/video-format.ts';

/** Consecutive groups of an item, composed: whole GOPs of pictures with their sound, or AAC frames. */
export interface Part {
  readonly composition: Composition;
  /** The format of the stream's pictures, without framing and drawing; null: sound alone. */
  readonly format: PictureFormat | null;
  /** The rendition in which it replaces groups. */
  readonly rendition: { readonly contentHash: string; readonly format: string };
  /** The first replaced group, counted from the beginning of the rendition. */
  readonly firstGroup: number;
  readonly groupCount: number;
  /** The sound of videos that is mixed under the sound of the item; absent: none. */
  readonly under?: readonly HeardUnder[];
  /** Whether other runs rarely send the part, so that it is kept for hours instead of days. */
  readonly isRare?: true;
}

/** The sound of a video during the time when it is heard under a part. */
export interface HeardUnder extends Pick<SoundUnder, 'gainDB' | 'duck'> {
  readonly sound: ComposedSound;
  /** The first sample of the video that is heard. */
  readonly startSample: number;
  /** The sample of the part at which `startSample` is due; negative: before the part begins. */
  readonly fromSample: number;
  readonly sampleCount: number;
}

/** A part at its place in a run. */
export interface PlacedPart {
  readonly part: Part;
  /** A hash of the part. All streams that play an equal part share it. */
  readonly name: string;
  /** The latest frame of the run before which an agent has to know that the part is ready. */
  readonly startFrame: number;
  /** The playback of a still image that the part replaces; `any`: the item plays once. */
  readonly at: 'beginning' | 'end' | 'any';
}

/** The version of all parts. Increment when the rendering of a part changes. */
const partVersion = 1;
/** Length of a part with texts. It also has the pictures between the texts. */
const chunkSeconds = 20;

export function placedPart(part: Part, startFrame: number, at: PlacedPart['at'] = 'any'): PlacedPart {
  return { part, name: `c${partVersion}/${sha256(JSON.stringify(part))}`, startFrame, at };
}

/** The contents that a part shows or plays, each once. */
export function contentsOf({ composition, under = [] }: Part): string[] {
  return [...new Set([...sourcesOf(composition), ...under.flatMap(({ sound }) => sourcesOfSound(sound))])];
}

/**
 * The parts of a video item for the transitions from the item before and to the item after, and for an end that is cut
 * off within a GOP: the last pictures of a GOP may need a later one.
 */
export function picturePartsAt(track: ComposedTrack, occurrence: ItemOccurrence, format: PictureFormat): PlacedPart[] {
  const rate = rates[format.framerate];
  const gop = gopSeconds * rate;
  const { item, startFrame } = occurrence;
  const { frameCount, skippedFrames } = fromOrigin(occurrence);
  const placed = placedItem(track, occurrence, rate);
  const layers = (placed && layersOf(placed, rate)) ?? [];
  const changes = layers.flatMap((layer) =>
    layer.of === occurrence ? layer.fades.map(({ start }) => start) : [layer.startFrame],
  );
  const isStill = item.kind === 'image';
  const headEnd = isStill ? gop : Math.min(gop, frameCountOf(item, rate), frameCount);
  const isCut = placed !== null && isCutOff(occurrence, rate);
  const ends = isCut ? [frameCount] : [];
  const tail = Math.floor(Math.min(...changes.filter((frame) => frame > 0), ...ends) / gop) * gop;
  // The pictures of a still are sent repeatedly, so its tail has to be whole GOPs too, unless it is cut off there.
  const hasTail =
    tail >= Math.max(gop, skippedFrames) && tail < frameCount && (!isStill || isCut || tail + gop === frameCount);
  const partOf = (range: FrameRange, at: PlacedPart['at']) => {
    const composition = compose(track, occurrence, { framesPerSecond: rate, range })!;
    const firstGroup = isStill ? 0 : range.first;
    const shown = firstGroup === range.first ? composition : shifted(composition, range.first, rate);
    return placedPart(
      { composition: shown, ...formatsOf(track, occurrence, format), firstGroup, groupCount: range.end - range.first },
      startFrame,
      isStill ? at : 'any',
    );
  };
  return [
    ...((skippedFrames === 0 && changes.some((frame) => frame <= 0)) || (isCut && frameCount < gop)
      ? [partOf({ first: 0, end: headEnd }, 'beginning')]
      : []),
    ...(hasTail ? [partOf({ first: tail, end: frameCount }, 'end')] : []),
  ];
}

/** The parts of an audio item for the transitions from the item before and to the item after. */
export function soundPartsAt(track: ComposedTrack, occurrence: ItemOccurrence, framesPerSecond: number): PlacedPart[] {
  const placed = placedItem(track, occurrence, framesPerSecond);
  if (!placed) return [];
  const whole = composedSound(placed, framesPerSecond, 'aac of sound');
  return joinedGroups(placed, soundFramesOf(fromOrigin(occurrence), framesPerSecond)).map(
    ({ firstGroup, groupCount }) => {
      const [first, end] = [firstGroup, firstGroup + groupCount].map((group) => group * samplesPerSoundFrame);
      const composition = { layers: [], sound: soundWithin(whole, first!, end!) };
      return placedPart(
        { composition, format: null, rendition: soundOf(track, occurrence), firstGroup, groupCount },
        occurrence.startFrame,
      );
    },
  );
}

/** The sound rendition of an occurrence whose file is known. */
export function soundOf(track: ComposedTrack, { item }: ItemOccurrence): Part['rendition'] {
  return { contentHash: sourceOf(track, item)!, format: 'sound' };
}

function formatsOf(
  track: ComposedTrack,
  { item }: ItemOccurrence,
  format: PictureFormat,
): Pick<Part, 'format' | 'rendition'> {
  return { format, rendition: { contentHash: sourceOf(track, item)!, format: formatName(formatOfItem(format, item)) } };
}

/** The chunk of a playback that contains a picture. */
export function chunkOf({ frameCount }: Pick<Playing, 'frameCount'>, picture: number, framesPerSecond: number) {
  const length = chunkSeconds * framesPerSecond;
  const first = Math.floor(picture / length) * length;
  return { first, end: Math.min(first + length, frameCount) };
}

/**
 * The chunk of a playback that contains a picture, with texts about the audio track, in whole GOPs.
 * @returns null if there are no texts, or if the file of the item is not known
 */
export function titledPartAt(
  track: ComposedTrack,
  playing: Playing,
  picture: number,
  format: PictureFormat,
): PlacedPart | null {
  const { occurrence, startFrame, frameCount } = playing;
  const overlays = overlaysAt(track.entries, occurrence);
  if (!track.heard || !overlays?.ofSound) return null;
  const rate = rates[format.framerate];
  const chunk = chunkOf(playing, picture, rate);
  const stretch = { startFrame: startFrame + chunk.first, frameCount: chunk.end - chunk.first };
  const texts = soundTexts(overlays, track.heard, stretch, rate, longestTitledSeconds(occurrence.item));
  if (texts.length === 0) return null;
  const gop = gopSeconds * rate;
  const gopAt = (seconds: number) => Math.floor(Math.round(seconds * rate) / gop) * gop;
  const first = chunk.first + Math.min(...texts.map(({ fromSeconds }) => gopAt(fromSeconds)));
  const lastGop = Math.max(
    ...texts.map(({ toSeconds }) => (toSeconds === null ? Infinity : gopAt(toSeconds - 1 / rate))),
  );
  const range = { first, end: Math.min(chunk.end, chunk.first + lastGop + gop) };
  const alone = { ...occurrence, startFrame, frameCount, skippedFrames: 0, isStandIn: true } as const;
  const composition = compose(track, alone, { framesPerSecond: rate, range });
  if (!composition) return null;
  const groups = { firstGroup: range.first, groupCount: range.end - range.first };
  const isRare = occurrence.item.kind === 'video' && ({ isRare: true } as const);
  return placedPart({ composition, ...formatsOf(track, occurrence, format), ...groups, ...isRare }, startFrame + first);
}

/** The parts with texts about the audio track that begin within a stretch of a run, each once and in order. */
export function titledPartsWithin(
  track: ComposedTrack,
  { startFrame, frameCount }: FrameStretch,
  format: PictureFormat,
): PlacedPart[] {
  const rate = rates[format.framerate];
  const found = new Map<string, PlacedPart>();
  for (let frame = startFrame; frame < startFrame + frameCount;) {
    const occurrence = occurrenceAt(track.entries, frame, rate);
    const playing = playingAt(occurrence, frame, renditionOf('', occurrence.item, format).groupCount);
    const picture = frame - playing.startFrame;
    const titled = titledPartAt(track, playing, picture, format);
    if (titled && !found.has(titled.name)) found.set(titled.name, titled);
    frame = playing.startFrame + chunkOf(playing, picture, rate).end;
  }
  return [...found.values()];
}
