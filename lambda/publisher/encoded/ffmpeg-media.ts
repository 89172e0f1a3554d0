// The endless media of a stream, encoded by one ffmpeg per item: pictures and sound on one grid, across all joins.
import { composedSound, soundWithin } from '../../domain/playout/composed-sound.ts';
import { compose, placedItem, sourcesOf } from '../../domain/playout/composition.ts';
import type { Composition, FrameRange } from '../../domain/playout/composition.ts';
import { occurrenceAt } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry } from '../../domain/playout/play-out.ts';
import { overlaysAt } from '../../domain/playout/sound-titles.ts';
import { overlaysOf } from '../drawing/layer-overlays.ts';
import { openComposedAudio } from '../ffmpeg/composed-audio.ts';
import { openItem } from '../ffmpeg/item-source.ts';
import { readLayer } from '../ffmpeg/layered-pictures.ts';
import { ToolError } from '../ffmpeg/media-tool.ts';
import type { PictureOverlay } from '../ffmpeg/overlays.ts';
import { UnderMixer } from '../ffmpeg/sound-under.ts';
import type { VideoFrame } from '../ffmpeg/video-source.ts';
import { ItemTrack } from './item-track.ts';
import type { MediaOptions } from './media-options.ts';
import { endOfTexts } from './text-limits.ts';

/** Tolerance of a decode cost that is computed from the cost of a stream. */
const rounding = 1e-3;

/** One picture of the stream with exactly its share of sound. */
export interface TimedFrame {
  /** The frame's number from the anchor of the run, in decode order. */
  readonly frame: number;
  readonly video: VideoFrame;
  /** PCM s16le, 48 kHz stereo, `profile.samplesPerFrame` samples. */
  readonly samples: Buffer;
  readonly occurrence: ItemOccurrence;
  /** The upload whose sound replaces that of the sound track's item; null if none does. */
  readonly soundStandIn: string | null;
}

export interface FrameSource {
  /** The next frame. @throws {MediaError} when no item of the timeline can be played */
  next(): Promise<TimedFrame>;
  close(): Promise<void>;
}

/** Opens the stream at `startFrame`. If it has a sound track, that replaces the items' own sound. */
export async function openFrames(options: MediaOptions, startFrame: number): Promise<FrameSource> {
  const { tools, profile, loadTimelines, log, signal } = options;
  const hasAudioTrack = (await loadTimelines()).audio.length > 0;
  const mixer = new UnderMixer();
  const common = { framesPerSecond: profile.framesPerSecond, log };

  const pictures = new ItemTrack(
    {
      ...common,
      loadTimeline: async () => (await loadTimelines()).video,
      opensUntil: async (frame) =>
        Math.min(
          await endOfTexts(frame, options),
          beginningOfStinger((await loadTimelines()).video, frame, profile.framesPerSecond),
        ),
      open: (occurrence, range, timeline) => openPictures({ occurrence, range, timeline, hasAudioTrack }, options),
    },
    startFrame,
  );
  const sound = new ItemTrack(
    {
      ...common,
      loadTimeline: async () => (await loadTimelines()).audio,
      open: async (occurrence, range, entries) => {
        const placed = placedItem({ entries }, occurrence, profile.framesPerSecond)!;
        const whole = composedSound(placed, profile.framesPerSecond, 'frames');
        return openComposedAudio(tools, await audioOf({ layers: [], sound: whole }, range, options), signal);
      },
    },
    startFrame,
  );

  return {
    async next() {
      const picture = await pictures.step(async (item) => {
        const video = await item.readFrame();
        if (!video) throw new Error('an item ended before its last frame');
        return { video, own: await item.readSamples(profile.samplesPerFrame), under: item.under };
      });
      const { frame, occurrence } = picture;
      const { video, own, under } = picture.result;
      if (!hasAudioTrack) return { frame, video, samples: own, occurrence, soundStandIn: null };
      const heard = await sound.step((item) => item.readSamples(profile.samplesPerFrame));
      const samples = under ? mixer.mix(heard.result, own, under) : heard.result;
      const { item, isStandIn } = heard.occurrence;
      return { frame, video, samples, occurrence, soundStandIn: isStandIn ? item.uploadID : null };
    },
    async close() {
      await Promise.all([pictures.close(), sound.close()]);
    },
  };
}

interface OpenedPictures {
  readonly occurrence: ItemOccurrence;
  readonly range: FrameRange;
  readonly timeline: readonly TimelineEntry[];
  /** Whether the run has an audio track. */
  readonly hasAudioTrack: boolean;
}

/** Opens the pictures of an item with their own sound. */
async function openPictures({ occurrence, range, timeline, hasAudioTrack }: OpenedPictures, given: MediaOptions) {
  const options = { ...given, urlOf: oneAddressEach(given.urlOf) };
  const { tools, profile, encoder, loadTimelines, signal } = options;
  const { framesPerSecond } = profile;
  const { audio } = await loadTimelines();
  // Read only for a clock, as reading the anchor sets it for a run without one.
  const hasClock = timeline.some(({ snapshot }) => snapshot.overlays?.clock);
  const liveSinceMs = hasClock ? await options.anchoredAtMs() : 0;
  const track = { entries: timeline, ...(audio.length > 0 && { heard: audio }) };
  const composition = compose(track, occurrence, { framesPerSecond, range, liveSinceMs })!;
  const { under } = composition;
  const overlays = await overlaysIn(composition, range, options);
  const layers = composition.layers.map(async (layer, index) =>
    readLayer(layer, await options.urlOf(layer.source), overlays[index]),
  );
  const most = options.mostDecodeCost?.() ?? Infinity;
  const request = {
    layers: await Promise.all(layers),
    background: composition.layers.some(({ decodeCost = 0 }) => decodeCost > most + rounding),
    startFrame: range.first,
    frameCount: range.end - range.first,
    profile,
    encoder: encoder(),
    audio: !hasAudioTrack || under ? await audioOf(composition, range, options) : null,
  };
  const media = Object.assign(openItem(tools, request, signal), { under });
  const overlaysOfItem = overlaysAt(timeline, occurrence);
  const lastSound = audio.at(-1);
  if (!lastSound || !overlaysOfItem?.ofSound) return media;
  const changesAt = async () => {
    const startSeconds = startAfter(lastSound, (await loadTimelines()).audio);
    return Math.round((startSeconds - (overlaysOfItem.next?.seconds ?? 0)) * framesPerSecond);
  };
  return Object.assign(media, { changesAt });
}

/** Signs one address for each file of an item, which its pictures and its sound share. */
function oneAddressEach(urlOf: MediaOptions['urlOf']): MediaOptions['urlOf'] {
  const addresses = new Map<string, ReturnType<typeof urlOf>>();
  return (objectKey) => {
    const known = addresses.get(objectKey) ?? urlOf(objectKey);
    addresses.set(objectKey, known);
    return known;
  };
}

/** The overlays of the layers. If their texts cannot be drawn, the layers are shown without texts. */
async function overlaysIn(
  { layers }: Composition,
  range: FrameRange,
  { profile, urlOf, captionsOf, log, signal }: MediaOptions,
): Promise<(PictureOverlay | null)[]> {
  const files = {
    logoURL: urlOf,
    captionsOf: async (hash: string) => {
      const file = await captionsOf(hash);
      if (file === null) log('captions_not_found', { hash });
      return file;
    },
  };
  try {
    return await overlaysOf(layers, range, profile, files, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ToolError)) throw error;
    log('texts_not_drawn', { error: String(error) });
    const untitled = layers.map(({ drawn, ...layer }) => ({
      ...layer,
      drawn: drawn && { logo: drawn.logo, texts: [] },
    }));
    return overlaysOf(untitled, range, profile, files, signal);
  }
}

/** The sound of a part of an item, with the URLs of all its files. */
async function audioOf({ sound }: Composition, range: FrameRange, { profile, urlOf }: MediaOptions) {
  const [startSample, end] = [range.first * profile.samplesPerFrame, range.end * profile.samplesPerFrame];
  const heard = soundWithin(sound, startSample, end);
  const urls = new Map(
    await Promise.all(
      sourcesOf({ layers: [], sound: heard }).map(async (source) => [source, await urlOf(source)] as const),
    ),
  );
  return { sound: heard, startSample, count: end - startSample, urlOf: (source: string) => urls.get(source)! };
}

/**
 * The frame of the run at which the item is opened again because a stinger begins over it. If the ffmpeg of the item's
 * beginning read the stinger, it would keep its connection open all the time. Infinity: no stinger begins after
 * `frame`.
 */
function beginningOfStinger(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const { item, startFrame, frameCount } = occurrenceAt(timeline, frame, framesPerSecond);
  if (item.join?.kind !== 'stinger') return Infinity;
  const beginning = startFrame + frameCount - Math.round(item.join.seconds * framesPerSecond);
  return beginning > frame ? beginning : Infinity;
}

/** The start of the playlist after the last known one, in seconds of the run; Infinity if there is none. */
function startAfter({ number: last }: TimelineEntry, audio: readonly TimelineEntry[]): number {
  return audio.find(({ number }) => number > last)?.offsetSeconds ?? Infinity;
}
