// The layers and sound of an item at each frame: a pure function of timelines, an occurrence and a format.
import {
  composedSound,
  soundSampleRate,
  soundWithin,
  sourceOf,
  sourceOfStinger,
  sourcesOfSound,
} from './composed-sound.ts';
import type { ComposedSound, ComposedTrack, Fade, PlacedItem } from './composed-sound.ts';
import type { SourceReading } from '../shared/source-reading.ts';
import { captionsOver, placedLogo, textsOver, withNext } from './drawings.ts';
import type { Drawing, NamedItem } from './drawings.ts';
import { pictureEffects } from './look.ts';
import type { FramingName, PictureEffect, StingerJoin } from './look.ts';
import { orderOfLap } from './lap-order.ts';
import { overlayBounds } from './overlays.ts';
import { fromOrigin, occurrenceBefore, occurrencesFrom } from './play-out.ts';
import type { ItemOccurrence, TimelineEntry, TimelineItem } from './play-out.ts';
import { clockTexts, tickerTexts } from './running-texts.ts';
import { laterBy, overlaysAt, soundTexts } from './sound-titles.ts';
import { isThroughSilence, overlaps } from './sound.ts';
import type { ItemJoin, SoundUnder } from './sound.ts';
import { longestAfterCutSeconds } from './stinger.ts';
import type { DynamicRange } from '../shared/video-format.ts';

/**
 * The layers and the sound of an item. All frames, samples and seconds count from the beginning of the item, also if
 * only a part of it plays. It is plain data: two compositions with equal JSON look and sound equal.
 */
export interface Composition {
  /** The layers, lowest first; empty: only sound. */
  readonly layers: readonly Layer[];
  readonly sound: ComposedSound;
  /**
   * Live encoding: how the sound is mixed under an audio track; absent: an audio track replaces it. Prepared media has
   * this sound in parts of the audio track.
   */
  readonly under?: SoundUnder;
}

/** Pictures of a file that cover the layers below them. */
export interface Layer {
  /** The name of the file in its track. */
  readonly source: string;
  /** A stinger fills the frame; the layers below are visible through its transparent areas. */
  readonly kind: 'video' | 'image' | 'stinger';
  /** Absent: SDR. */
  readonly dynamicRange?: DynamicRange;
  /** How the file is read; absent: the usual way. */
  readonly reading?: SourceReading;
  /** How the file fills the frame; absent: with black bars. */
  readonly framing?: FramingName;
  /** Cost of decoding, from `decodeCost` in source-limits.ts; absent: not known. */
  readonly decodeCost?: number;
  /** Codec, which decides the decoder of a stinger; absent for other layers. */
  readonly videoCodec?: string;
  /** The frame at which the file begins; negative: before the item begins. */
  readonly startFrame: number;
  /** The first frame without the layer; null: it stays until the end of the item. */
  readonly endFrame: number | null;
  /** The weight of the layer over the layers below it, or over black. It is 1 outside fades. */
  readonly fades: readonly LayerFade[];
  /** Null: nothing is drawn over it. */
  readonly drawn: Drawing | null;
}

/** A fade from or to a colour, or a transition of ffmpeg's filter `xfade` from the layers below. */
export type LayerFade = Fade & ({ readonly through: string } | { readonly transition: string });

/** Frames of an item, `end` not included. */
export interface FrameRange {
  readonly first: number;
  readonly end: number;
}

/** The settings of a composition. */
export interface Composing {
  readonly framesPerSecond: number;
  readonly range: FrameRange;
  /**
   * Live encoding: the time of frame 0 of the run, in milliseconds since 1970. Absent for prepared media: then sound is
   * on the grid of AAC frames, and graphics that cannot be prepared are not drawn.
   */
  readonly liveSinceMs?: number;
}

/** Composes a video item with its own sound. @returns null if the file of the item is not known */
export function compose(track: ComposedTrack, occurrence: ItemOccurrence, composing: Composing): Composition | null {
  const { framesPerSecond, range, liveSinceMs } = composing;
  const placed = placedItem(track, occurrence, framesPerSecond);
  const layers = placed && layersOf(placed, framesPerSecond);
  if (!layers) return null;
  const grid = liveSinceMs === undefined ? 'aac of pictures' : 'frames';
  const samplesAt = (frame: number) => (frame * soundSampleRate) / framesPerSecond;
  const { under } = occurrence.item;
  return {
    layers: layersWithin(layers, range).map(({ of, ...layer }) => {
      return { ...layer, drawn: of && drawnOver(placed, of, composing) };
    }),
    sound: soundWithin(composedSound(placed, framesPerSecond, grid), samplesAt(range.first), samplesAt(range.end)),
    ...(under && liveSinceMs !== undefined && { under }),
  };
}

/** An occurrence with its neighbours. A stand-in is joined to nothing. @returns null if the file is not known */
export function placedItem(
  track: ComposedTrack,
  occurrence: ItemOccurrence,
  framesPerSecond: number,
): PlacedItem | null {
  const { item, startFrame, frameCount, isStandIn } = occurrence;
  if (sourceOf(track, item) === null) return null;
  const before = isStandIn ? null : occurrenceBefore(track.entries, occurrence, framesPerSecond);
  const [after] = occurrencesFrom(track.entries, startFrame + frameCount, framesPerSecond).take(1);
  const [joinBefore, join] = [before?.item.join, isStandIn ? undefined : item.join];
  const mixes = joinBefore && (overlaps(joinBefore) || joinBefore.kind === 'gap_free');
  return {
    track,
    occurrence,
    before,
    after: after!,
    joinBefore: mixes && sourceOf(track, before!.item) === null ? undefined : joinBefore,
    join: join?.kind === 'gap_free' && sourceOf(track, after!.item) === null ? undefined : join,
  };
}

function effectOf({ kind }: ItemJoin) {
  return pictureEffects[kind as PictureEffect];
}

/** A layer without its graphics. */
export interface BareLayer extends Omit<Layer, 'drawn'> {
  /** The occurrence whose graphics are drawn over it; null: no graphics. */
  readonly of: ItemOccurrence | null;
}

/** The layers of an item over all of its frames, with the transitions from and to its neighbours. */
export function layersOf(
  { track, occurrence, before, joinBefore, join }: PlacedItem,
  framesPerSecond: number,
): BareLayer[] | null {
  const { frameCount } = fromOrigin(occurrence);
  const framesIn = ({ seconds }: Pick<ItemJoin, 'seconds'>) => Math.round(seconds * framesPerSecond);
  const fades: LayerFade[] = [];
  if (joinBefore && joinBefore.kind in pictureEffects)
    fades.push({ direction: 'in', start: 0, end: framesIn(joinBefore), ...effectOf(joinBefore) });
  if (join && isThroughSilence(join))
    fades.push({ direction: 'out', start: frameCount - framesIn(join), end: frameCount, ...effectOf(join) });
  const stinger = ({ seconds, stinger: played }: StingerJoin, cutFrame: number): BareLayer => ({
    source: sourceOfStinger(track, played),
    kind: 'stinger',
    videoCodec: played.videoCodec,
    ...(played.dynamicRange && { dynamicRange: played.dynamicRange }),
    ...(played.reading && { reading: played.reading }),
    startFrame: cutFrame - framesIn({ seconds }),
    endFrame: cutFrame + longestAfterCutSeconds * framesPerSecond,
    fades: [],
    of: null,
  });
  const own = layerOf(track, occurrence);
  if (!own) return null;
  return [
    ...(joinBefore && overlaps(joinBefore)
      ? [{ ...layerOf(track, before!)!, startFrame: -before!.frameCount, endFrame: framesIn(joinBefore) }]
      : []),
    { ...own, fades },
    ...(joinBefore?.kind === 'stinger' ? [stinger(joinBefore, 0)] : []),
    ...(join?.kind === 'stinger' ? [stinger(join, frameCount)] : []),
  ];
}

function layerOf(track: ComposedTrack, occurrence: ItemOccurrence): BareLayer | null {
  const { kind, dynamicRange, reading, framing, decodeCost } = occurrence.item;
  const source = sourceOf(track, occurrence.item);
  if (kind === 'audio' || source === null) return null;
  return {
    source,
    kind,
    ...(dynamicRange && { dynamicRange }),
    ...(reading && { reading }),
    ...(framing && { framing }),
    ...(decodeCost !== undefined && !track.contentHashes && { decodeCost }),
    startFrame: 0,
    endFrame: null,
    fades: [],
    of: occurrence,
  };
}

/** The layers that are visible in a range, with the fades that overlap it. */
function layersWithin(layers: readonly BareLayer[], { first, end }: FrameRange): BareLayer[] {
  return layers
    .filter(({ startFrame, endFrame }) => startFrame < end && (endFrame === null || endFrame > first))
    .map((layer) => ({ ...layer, fades: layer.fades.filter((fade) => fade.start < end && fade.end > first) }));
}

/** Longest time to show a title of the audio track. Moving pictures are prepared again for each such title. */
export function longestTitledSeconds({ kind }: Pick<TimelineItem, 'kind'>): number {
  return kind === 'image' ? Infinity : overlayBounds.titleSeconds[1];
}

/** The graphics over the pictures of an occurrence in a range of the item that shows these pictures as a layer. */
function drawnOver(
  { track, occurrence, before, after }: PlacedItem,
  of: ItemOccurrence,
  { framesPerSecond, range, liveSinceMs }: Composing,
): Drawing | null {
  const entry = track.entries.find(({ number }) => number === of.entryNumber);
  const overlays = overlaysAt(track.entries, of);
  if (!entry || !overlays) return null;
  const isLive = liveSinceMs !== undefined;
  const [fromSeconds, toSeconds] = [range.first / framesPerSecond, range.end / framesPerSecond];
  const { startFrame } = fromOrigin(occurrence);
  const beginsAt = (fromOrigin(of).startFrame - startFrame) / framesPerSecond;
  const following = of === before ? occurrence.item : after.item.itemID === of.item.itemID ? null : after.item;
  const next = isLive ? following : nextInOrder(entry, of, of === before ? occurrence : after);
  const longest = isLive ? Infinity : longestTitledSeconds(of.item);
  const stretch = { startFrame: startFrame + range.first, frameCount: range.end - range.first };
  const told =
    overlays.ofSound && track.heard ? soundTexts(overlays, track.heard, stretch, framesPerSecond, longest) : [];
  const texts = [
    ...textsOver(overlays, { ...of.item, next })
      .map((text) => (beginsAt === 0 ? text : laterBy(beginsAt, text)))
      .filter((text) => fromSeconds < (text.toSeconds ?? Infinity) && toSeconds > text.fromSeconds),
    ...told.map((text) => laterBy(fromSeconds, text)),
  ];
  const runSeconds = startFrame / framesPerSecond;
  const clock = isLive ? clockTexts(overlays, liveSinceMs + runSeconds * 1000, { fromSeconds, toSeconds }) : [];
  const running = isLive ? [...tickerTexts(overlays, runSeconds), ...clock] : [];
  const captions = captionsOver(overlays, of.item);
  const logo = placedLogo(overlays.logo, track.contentHashes ? overlays.logo?.uploadID : overlays.logoKey!);
  if (!logo && !captions && texts.length + running.length === 0) return null;
  return { logo, texts, ...(running.length > 0 && { running }), ...(captions && { captions }) };
}

/**
 * The next item of the playlist, or of the planned rows of an entry; null: the order is not known, or the item is the
 * only one.
 */
function nextInOrder(
  { number, snapshot }: TimelineEntry,
  { item: { itemID } }: ItemOccurrence,
  following: ItemOccurrence,
): NamedItem | null {
  const { items, mode } = snapshot;
  // A row is drawn with the next one of its entry, and the last one with the first.
  if (snapshot.order && snapshot.order.length > 1)
    return following.entryNumber === number ? following.item : orderOfLap(snapshot, 0)[0]!;
  return withNext(items, mode).find((item) => item.itemID === itemID)?.next ?? null;
}

/** A composition that starts at a later frame. */
export function shifted({ layers, sound }: Composition, frames: number, framesPerSecond: number): Composition {
  const samples = (frames * soundSampleRate) / framesPerSecond;
  const moved = <Kind extends Fade>(fades: readonly Kind[], by: number) =>
    fades.map((fade) => ({ ...fade, start: fade.start - by, end: fade.end - by }));
  return {
    layers: layers.map(({ drawn, ...layer }) => ({
      ...layer,
      startFrame: layer.startFrame - frames,
      endFrame: layer.endFrame === null ? null : layer.endFrame - frames,
      fades: moved(layer.fades, frames),
      drawn: drawn && { ...drawn, texts: drawn.texts.map((text) => laterBy(-frames / framesPerSecond, text)) },
    })),
    sound: {
      ...sound,
      item: { ...sound.item, startSample: sound.item.startSample - samples, fades: moved(sound.item.fades, samples) },
      over: sound.over.map((voice) => {
        return { ...voice, startSample: voice.startSample - samples, endSample: voice.endSample - samples };
      }),
    },
  };
}

/** The files that a composition shows or plays, each once. */
export function sourcesOf({ layers, sound }: Composition): string[] {
  return [...new Set([...layers.map(({ source }) => source), ...sourcesOfSound(sound)])];
}
