// The parts of an audio track that are mixed ahead with the sound of the videos under it.
import { composedSound, samplesPerSoundFrame, soundSampleRate, soundWithin, sourceOf } from './composed-sound.ts';
import type { ComposedTrack } from './composed-sound.ts';
import { placedItem } from './composition.ts';
import { placedPart, soundOf } from './composition-parts.ts';
import type { HeardUnder, PlacedPart } from './composition-parts.ts';
import { fromOrigin, itemsPlayed, occurrencesFrom } from './play-out.ts';
import type { ItemOccurrence, TimelineEntry } from './play-out.ts';
import { soundFrameNearest, pictureOfSoundFrame, soundFramesOf, soundOriginOf } from './prepared-play-out.ts';
import { groupsPerSegment } from './rendition.ts';
import type { FrameStretch } from './sound-titles.ts';

/** AAC frames of an item that are mixed together: a segment. */
const chunkGroups = groupsPerSegment('sound');
/**
 * AAC frames before a mix that are also mixed, and then discarded, because earlier speech lowers the sound under it.
 * After this time, earlier sound has no effect.
 */
export const mixLeadGroups = 192;
/** AAC frames after a mix that an encoder needs. */
const mixTrailGroups = 8;
/** The sound of shorter videos would be read so often that preparing it would cost as much as encoding. */
const shortestMixedSeconds = 5;

/** Whether the sound of a video is long enough to be mixed ahead with an audio track. */
export function canBeMixed({ durationSeconds }: { readonly durationSeconds: number | null }): boolean {
  return durationSeconds === null || durationSeconds >= shortestMixedSeconds;
}

/** Whether a run may play the sound of a video under its audio track. */
export function mixesSoundUnder(video: readonly TimelineEntry[], audio: readonly TimelineEntry[]): boolean {
  return (
    audio.length > 0 && video.some(({ snapshot }) => itemsPlayed(snapshot).some(({ under }) => under !== undefined))
  );
}

/** The chunk of frames of an audio occurrence that contains a frame, `end` not included. */
export function mixChunkOf(occurrence: ItemOccurrence, group: number, framesPerSecond: number) {
  const first = Math.floor(group / chunkGroups) * chunkGroups;
  return { first, end: Math.min(first + chunkGroups, soundFramesOf(fromOrigin(occurrence), framesPerSecond)) };
}

/**
 * The chunk of an audio occurrence that contains a frame, with the sound under it.
 * @returns null if there is no sound under it, or if the file of the item is not known
 */
export function mixPartAt(
  track: ComposedTrack,
  occurrence: ItemOccurrence,
  group: number,
  framesPerSecond: number,
): PlacedPart | null {
  const placed = track.under && placedItem(track, occurrence, framesPerSecond);
  if (!track.under || !placed) return null;
  const { first, end } = mixChunkOf(occurrence, group, framesPerSecond);
  const gridFrame = soundOriginOf(fromOrigin(occurrence), framesPerSecond) + first;
  const groupCount = end - first;
  const under = heardUnder(track.under, { gridFrame, groupCount }, framesPerSecond);
  const isHeard = ({ fromSample, sampleCount }: HeardUnder) =>
    fromSample < groupCount * samplesPerSoundFrame && fromSample + sampleCount > 0;
  if (!under.some(isHeard)) return null;
  const whole = composedSound(placed, framesPerSecond, 'aac of sound');
  const sound = soundWithin(whole, first * samplesPerSoundFrame, end * samplesPerSoundFrame);
  const composition = { layers: [], sound };
  return placedPart(
    {
      composition,
      format: null,
      rendition: soundOf(track, occurrence),
      firstGroup: first,
      groupCount,
      under,
      isRare: true,
    },
    pictureOfSoundFrame(gridFrame, framesPerSecond),
  );
}

/** The mixes that are sent within a stretch of a run, each once and in order. */
export function mixPartsWithin(
  track: ComposedTrack,
  { startFrame, frameCount }: FrameStretch,
  framesPerSecond: number,
): PlacedPart[] {
  const found = new Map<string, PlacedPart>();
  const frameOf = (occurrence: ItemOccurrence, group: number) =>
    pictureOfSoundFrame(soundOriginOf(fromOrigin(occurrence), framesPerSecond) + group, framesPerSecond);
  for (const occurrence of occurrencesFrom(track.entries, startFrame, framesPerSecond)) {
    if (occurrence.startFrame >= startFrame + frameCount) break;
    const played = fromOrigin(occurrence);
    const groups = soundFramesOf(played, framesPerSecond);
    for (
      let group = soundFrameNearest(played, played.skippedFrames, framesPerSecond);
      group < groups && frameOf(occurrence, group) < startFrame + frameCount;
    ) {
      const { end } = mixChunkOf(occurrence, group, framesPerSecond);
      const mix = frameOf(occurrence, end) > startFrame ? mixPartAt(track, occurrence, group, framesPerSecond) : null;
      if (mix && !found.has(mix.name)) found.set(mix.name, mix);
      group = end;
    }
  }
  return [...found.values()];
}

/** Frames of the sound grid of a run. */
interface GridStretch {
  readonly gridFrame: number;
  readonly groupCount: number;
}

/** The sound of videos that is heard under a stretch of the audio track. */
function heardUnder(
  { pictures }: NonNullable<ComposedTrack['under']>,
  { gridFrame, groupCount }: GridStretch,
  framesPerSecond: number,
): HeardUnder[] {
  const samplesPerFrame = soundSampleRate / framesPerSecond;
  const base = gridFrame * samplesPerSoundFrame;
  const from = Math.max(0, base - mixLeadGroups * samplesPerSoundFrame);
  const until = base + (groupCount + mixTrailGroups) * samplesPerSoundFrame;
  const heard: HeardUnder[] = [];
  for (const occurrence of occurrencesFrom(pictures.entries, Math.floor(from / samplesPerFrame), framesPerSecond)) {
    const played = occurrence.startFrame * samplesPerFrame;
    if (played >= until) break;
    const { under } = occurrence.item;
    if (!under || !canBeMixed(occurrence.item) || sourceOf(pictures, occurrence.item) === null) continue;
    const placed = placedItem(pictures, occurrence, framesPerSecond)!;
    const whole = composedSound(placed, framesPerSecond, 'aac of pictures');
    const begins = fromOrigin(occurrence).startFrame * samplesPerFrame;
    const [first, end] = [Math.max(played, from), Math.min(played + occurrence.frameCount * samplesPerFrame, until)];
    const sound = soundWithin(whole, first - begins, end - begins);
    const { gainDB, duck } = under;
    const place = { startSample: first - begins, fromSample: first - base, sampleCount: end - first };
    heard.push({ sound, gainDB, duck, ...place });
  }
  return heard;
}
