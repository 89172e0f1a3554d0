// The endless media of a stream, encoded by one ffmpeg per item: pictures and sound on one grid, over all joins.
import type { StingerJoin } from '../../domain/playout/look.ts';
import { frameCountOf, occurrenceAt } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry, TimelineItem } from '../../domain/playout/play-out.ts';
import { levelAt } from '../../domain/playout/sound.ts';
import { longestAfterCutSeconds } from '../../domain/playout/stinger.ts';
import { openItem } from '../ffmpeg/item-source.ts';
import { joinsWithin } from '../ffmpeg/joined-pictures.ts';
import type { PictureJoins } from '../ffmpeg/joined-pictures.ts';
import { openJoinedAudio } from '../ffmpeg/joined-audio.ts';
import type { JoinedAudioRequest } from '../ffmpeg/joined-audio.ts';
import { UnderMixer } from '../ffmpeg/sound-under.ts';
import type { VideoFrame } from '../ffmpeg/video-source.ts';
import { audioFormat } from '../ffmpeg/profile.ts';
import { endOfTexts, withOverlays } from './drawn-over.ts';
import { ItemTrack } from './item-track.ts';
import type { ItemSound } from './item-track.ts';
import type { MediaOptions } from './media-options.ts';

/** One picture of the stream with exactly its share of sound. */
export interface TimedFrame {
  /** Counted from the anchor of the run, in decode order. */
  readonly frame: number;
  readonly video: VideoFrame;
  /** PCM s16le, 48 kHz stereo, `profile.samplesPerFrame` samples. */
  readonly samples: Buffer;
  readonly occurrence: ItemOccurrence;
  /** The upload whose sound it is, in place of the item that the track of sound has there; null: there is none. */
  readonly soundStandIn: string | null;
}

export interface FrameSource {
  /** The next frame. @throws {MediaError} when nothing of the timeline can be played */
  next(): Promise<TimedFrame>;
  close(): Promise<void>;
}

/**
 * Opens the stream at `startFrame`. If the stream has a track of sound, it is played in place of the items' own sound.
 */
export async function openFrames(options: MediaOptions, startFrame: number): Promise<FrameSource> {
  const { tools, profile, encoder, loadTimelines, log, signal } = options;
  const hasAudioTrack = (await loadTimelines()).audio.length > 0;
  const mixer = new UnderMixer();
  const rate = profile.framesPerSecond;
  const common = { framesPerSecond: rate, log };

  const pictures = new ItemTrack(
    {
      ...common,
      loadTimeline: async () => (await loadTimelines()).video,
      opensUntil: async (frame) =>
        Math.min(await endOfTexts(frame, options), beginningOfStinger((await loadTimelines()).video, frame, rate)),
      open: async (item, range, sound, overlays) => {
        const lastSound = (await loadTimelines()).audio.at(-1);
        const joinedSound = isJoined(sound) ? await joinedSoundOf(item, range, sound, options) : undefined;
        const joins = joinsWithin(await pictureJoinsOf(item, sound, options), range);
        const request = {
          ...(await picturesOf(item, options)),
          ...(await withOverlays(joins, { item, range, sound, overlays }, options)),
          hasAudio: item.hasAudio || Boolean(joinedSound?.over),
          ...range,
          profile,
          encoder: encoder(),
          audio: !hasAudioTrack || item.under !== undefined,
          level: sound.level,
          joinedSound,
        };
        const media = openItem(tools, request, signal);
        if (!lastSound || !overlays.own?.ofSound) return media;
        const { next } = overlays.own;
        const changesAt = async () => {
          const startSeconds = startAfter(lastSound, (await loadTimelines()).audio);
          return Math.round((startSeconds - (next?.seconds ?? 0)) * profile.framesPerSecond);
        };
        return Object.assign(media, { changesAt });
      },
    },
    startFrame,
  );
  const sound = new ItemTrack(
    {
      ...common,
      loadTimeline: async () => (await loadTimelines()).audio,
      open: async (item, range, sound) =>
        openJoinedAudio(tools, await joinedSoundOf(item, range, sound, options), signal),
    },
    startFrame,
  );

  return {
    async next() {
      const picture = await pictures.step(async (item) => {
        const video = await item.readFrame();
        if (!video) throw new Error('an item ended before its last frame');
        return { video, own: await item.readSamples(profile.samplesPerFrame) };
      });
      const { frame, occurrence } = picture;
      const { video, own } = picture.result;
      if (!hasAudioTrack) return { frame, video, samples: own, occurrence, soundStandIn: null };
      const heard = await sound.step((item) => item.readSamples(profile.samplesPerFrame));
      const { under } = occurrence.item;
      const samples = under ? mixer.mix(heard.result, own, under) : heard.result;
      const { item, isStandIn } = heard.occurrence;
      return { frame, video, samples, occurrence, soundStandIn: isStandIn ? item.uploadID : null };
    },
    async close() {
      await Promise.all([pictures.close(), sound.close()]);
    },
  };
}

function isJoined({ before, join }: ItemSound): boolean {
  return join !== undefined || before?.item.join !== undefined;
}

async function picturesOf(item: TimelineItem, { urlOf }: MediaOptions) {
  const { objectKey, dynamicRange, framing, decodeCost } = item;
  const kind = item.kind === 'image' ? ('image' as const) : ('video' as const);
  return { sourceURL: await urlOf(objectKey), kind, dynamicRange, framing, decodeCost };
}

/** How the pictures of an item are joined to those before and after them. */
async function pictureJoinsOf(
  item: TimelineItem,
  { before, join }: ItemSound,
  options: MediaOptions,
): Promise<PictureJoins> {
  const rate = options.profile.framesPerSecond;
  const framesOf = (seconds: number) => Math.round(seconds * rate);
  const joinBefore = before?.item.join;
  const end = frameCountOf(item, rate);
  const beneath = before && joinBefore?.kind === 'crossfade' ? before : null;
  const from = beneath && { ...(await picturesOf(beneath.item, options)), startFrame: beneath.frameCount };
  const fadeOut = join?.kind === 'dip' ? framesOf(join.seconds) : null;
  const isFaded = joinBefore !== undefined && joinBefore.kind !== 'stinger';
  return {
    head: isFaded ? { frames: framesOf(joinBefore.seconds), from } : null,
    tail: fadeOut === null ? null : { startFrame: end - fadeOut, frames: fadeOut },
    stingers: [
      ...(joinBefore?.kind === 'stinger' ? [await stingerAt(0, joinBefore, options)] : []),
      ...(join?.kind === 'stinger' ? [await stingerAt(end, join, options)] : []),
    ],
  };
}

/** A stinger by whose cut an item ends or begins. @param cutFrame of the item */
async function stingerAt(cutFrame: number, { seconds, stinger }: StingerJoin, { urlOf, profile }: MediaOptions) {
  const { objectKey, videoCodec, dynamicRange } = stinger;
  const rate = profile.framesPerSecond;
  const cutFrames = Math.round(seconds * rate);
  return {
    sourceURL: await urlOf(objectKey),
    videoCodec,
    dynamicRange,
    startFrame: cutFrame - cutFrames,
    frames: cutFrames + longestAfterCutSeconds * rate,
  };
}

/**
 * The frame of the run at which the item that plays at a frame is opened anew, as a stinger begins over it: who opened
 * it with the item would keep it open all the while. Infinity where none begins after the frame.
 */
function beginningOfStinger(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const { item, startFrame, frameCount } = occurrenceAt(timeline, frame, framesPerSecond);
  if (item.join?.kind !== 'stinger') return Infinity;
  const beginning = startFrame + frameCount - Math.round(item.join.seconds * framesPerSecond);
  return beginning > frame ? beginning : Infinity;
}

/** The sound of an item with its joins. */
async function joinedSoundOf(
  item: TimelineItem,
  range: { readonly startFrame: number; readonly frameCount: number },
  sound: ItemSound,
  options: MediaOptions,
): Promise<JoinedAudioRequest> {
  const { level, join } = sound;
  const { samplesPerFrame } = options.profile;
  return {
    sourceURL: item.hasAudio ? await options.urlOf(item.objectKey) : null,
    level,
    startSample: range.startFrame * samplesPerFrame,
    sampleCount: range.frameCount * samplesPerFrame,
    head: await headOf(sound, options),
    tailSeconds: join?.kind === 'fade' || join?.kind === 'dip' ? join.seconds : null,
    lastSample: frameCountOf(item, options.profile.framesPerSecond) * samplesPerFrame,
    endSample: endSampleOf(item),
    over: await overOf(item, range, sound, options),
    next: await nextOf(sound, options),
  };
}

/** The sound of a stinger over a part of an item. */
async function overOf(
  item: TimelineItem,
  range: { readonly startFrame: number },
  { before, join }: ItemSound,
  { profile, urlOf }: MediaOptions,
): Promise<JoinedAudioRequest['over']> {
  const { framesPerSecond, samplesPerFrame } = profile;
  const cutSamples = ({ seconds }: StingerJoin) => Math.round(seconds * framesPerSecond) * samplesPerFrame;
  if (join?.kind === 'stinger') {
    const overSample = frameCountOf(item, framesPerSecond) * samplesPerFrame - cutSamples(join);
    if (range.startFrame * samplesPerFrame >= overSample) {
      if (!join.stinger.hasAudio) return null;
      const sourceURL = await urlOf(join.stinger.objectKey);
      return { sourceURL, level: null, startSample: 0, overSample, sampleCount: cutSamples(join) };
    }
  }
  const joinBefore = before?.item.join;
  if (joinBefore?.kind !== 'stinger' || !joinBefore.stinger.hasAudio) return null;
  const sourceURL = await urlOf(joinBefore.stinger.objectKey);
  const startSample = cutSamples(joinBefore);
  const sampleCount = longestAfterCutSeconds * audioFormat.sampleRate;
  return { sourceURL, level: null, startSample, overSample: 0, sampleCount };
}

/** When another playlist takes over from the last one that was known, in seconds of the run; Infinity: none does. */
function startAfter({ number: last }: TimelineEntry, audio: readonly TimelineEntry[]): number {
  return audio.find(({ number }) => number > last)?.offsetSeconds ?? Infinity;
}

/** How the beginning of an item is joined to what plays before it. */
async function headOf({ before }: ItemSound, { profile, urlOf }: MediaOptions): Promise<JoinedAudioRequest['head']> {
  if (!before?.item.join || before.item.join.kind === 'stinger') return null;
  const { item, startFrame, frameCount } = before;
  const { kind, seconds } = before.item.join;
  if (kind === 'fade' || kind === 'dip' || !item.hasAudio) return { seconds, from: null, endsAt: null };
  const sourceURL = await urlOf(item.objectKey);
  const level = levelAt(item, startFrame, profile.framesPerSecond);
  const from = { sourceURL, level, startSample: frameCount * profile.samplesPerFrame };
  return { seconds, from, endsAt: kind === 'gap_free' ? endSampleOf(item) : null };
}

/** What an item is followed by without a gap. */
async function nextOf(
  { after, join }: ItemSound,
  { profile, urlOf }: MediaOptions,
): Promise<JoinedAudioRequest['next']> {
  if (!after || !join) return null;
  const level = levelAt(after.item, after.startFrame, profile.framesPerSecond);
  return { sourceURL: await urlOf(after.item.objectKey), level, startSample: 0, seconds: join.seconds };
}

function endSampleOf({ durationSeconds }: Pick<TimelineItem, 'durationSeconds'>): number {
  return Math.round(durationSeconds * audioFormat.sampleRate);
}
