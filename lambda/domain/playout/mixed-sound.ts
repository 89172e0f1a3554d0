// Prepared sound with that of the videos under it: what is mixed of both tracks, as a pure function of their timelines.
import { pictureJoinsAt } from './picture-joins.ts';
import { occurrencesFrom } from './play-out.ts';
import type { ItemOccurrence, TimelineEntry } from './play-out.ts';
import { pictureOfSoundFrame, soundFramesOf, soundGridFrame } from './prepared-play-out.ts';
import { groupsPerSegment } from './rendition.ts';
import { sha256 } from '../shared/sha256.ts';
import { contentsOfJoin, joinName, joinsAt, samplesPerSoundFrame, soundName } from './sound-joins.ts';
import { soundOf, soundSampleRate } from './sound-joins.ts';
import type { JoinedSound, JoinedTrack, JoinRecipe } from './sound-joins.ts';
import type { FrameStretch } from './sound-titles.ts';
import type { SoundUnder } from './sound.ts';

/** An item as it is heard: with the joins that are near. */
export interface HeardSound {
  readonly item: JoinedSound;
  /** Those that take the place of its own samples, in its own count. */
  readonly joins: readonly JoinRecipe[];
}

/** The sound of a video for as long as it is heard under a mix. */
export interface HeardUnder extends HeardSound, Pick<SoundUnder, 'gainDB' | 'duck'> {
  /** Its sample with which it begins to be heard. */
  readonly startSample: number;
  /** Where that is due, counted from the first sample of the mix; negative: before it. */
  readonly fromSample: number;
  readonly sampleCount: number;
}

/** What takes the place of successive AAC frames of an item of a sound track. Its name follows from all of this. */
export interface MixRecipe extends HeardSound {
  readonly shape: 'mix';
  readonly firstGroup: number;
  readonly groupCount: number;
  /** In their order, one at least. */
  readonly under: readonly HeardUnder[];
}

/** A mix where the timelines have it. */
export interface PlacedMix {
  readonly recipe: MixRecipe;
  readonly name: string;
  /** Where it begins: an agent that is there by then has to know of it. */
  readonly startFrame: number;
}

/** What is mixed otherwise has another version. */
const recipeVersion = 1;
/** So many frames of an item are mixed together: those of one of its segments. */
const chunkGroups = groupsPerSegment('sound');
/**
 * What is heard under a mix is known from so long before it: who speaks then has lowered it. After this time that makes
 * no difference any more, whatever was before.
 */
export const mixLeadGroups = 192;
/** An encoder wants to know so much of what follows. */
const mixTrailGroups = 8;

/** What is heard of shorter videos would be read anew so often that preparing it costs as much as encoding. */
const shortestMixedSeconds = 5;

/** Whether the sound of a video is mixed ahead with that of a sound track. */
export function canBeMixed({ durationSeconds }: { readonly durationSeconds: number | null }): boolean {
  return durationSeconds === null || durationSeconds >= shortestMixedSeconds;
}

/** Whether anything that a run plays may be heard under its sound track. */
export function hearsUnder(video: readonly TimelineEntry[], audio: readonly TimelineEntry[]): boolean {
  return audio.length > 0 && video.some(({ snapshot }) => snapshot.items.some(({ under }) => under !== undefined));
}

/** The frames of an occurrence of a sound track that are mixed together with one of them, `end` not included. */
export function mixChunkOf(occurrence: ItemOccurrence, group: number, framesPerSecond: number) {
  const first = Math.floor(group / chunkGroups) * chunkGroups;
  return { first, end: Math.min(first + chunkGroups, soundFramesOf(occurrence, framesPerSecond)) };
}

/**
 * The chunk of an occurrence of a sound track that a frame of it is in, with what is heard under it.
 * @returns null where nothing is, or not known what the item was prepared from
 */
export function mixedSoundAt(
  track: JoinedTrack,
  occurrence: ItemOccurrence,
  group: number,
  framesPerSecond: number,
): PlacedMix | null {
  const item = soundOf(track, occurrence, framesPerSecond);
  if (!track.under || !item) return null;
  const { first, end } = mixChunkOf(occurrence, group, framesPerSecond);
  const gridFrame = soundGridFrame(occurrence.startFrame, framesPerSecond) + first;
  const groupCount = end - first;
  const under = heardUnder(track.under, { gridFrame, groupCount }, framesPerSecond);
  const isHeard = ({ fromSample, sampleCount }: HeardUnder) =>
    fromSample < groupCount * samplesPerSoundFrame && fromSample + sampleCount > 0;
  if (!under.some(isHeard)) return null;
  const joins = joinsAt(track, occurrence, framesPerSecond).map(({ recipe }) => recipe);
  const within = joins.filter((join) => join.firstGroup < end && join.firstGroup + join.groupCount > first);
  const recipe: MixRecipe = { shape: 'mix', item, joins: within, firstGroup: first, groupCount, under };
  return { recipe, name: mixName(recipe), startFrame: pictureOfSoundFrame(gridFrame, framesPerSecond) };
}

/** All that are sent within a stretch of a run, each once, in their order. */
export function mixedSoundWithin(
  track: JoinedTrack,
  { startFrame, frameCount }: FrameStretch,
  framesPerSecond: number,
): PlacedMix[] {
  const found = new Map<string, PlacedMix>();
  const frameOf = (occurrence: ItemOccurrence, group: number) =>
    pictureOfSoundFrame(soundGridFrame(occurrence.startFrame, framesPerSecond) + group, framesPerSecond);
  for (const occurrence of occurrencesFrom(track.entries, startFrame, framesPerSecond)) {
    if (occurrence.startFrame >= startFrame + frameCount) break;
    const groups = soundFramesOf(occurrence, framesPerSecond);
    for (let group = 0; group < groups && frameOf(occurrence, group) < startFrame + frameCount;) {
      const { end } = mixChunkOf(occurrence, group, framesPerSecond);
      const mix =
        frameOf(occurrence, end) > startFrame ? mixedSoundAt(track, occurrence, group, framesPerSecond) : null;
      if (mix && !found.has(mix.name)) found.set(mix.name, mix);
      group = end;
    }
  }
  return [...found.values()];
}

/** The contents that are heard in a mix, each once. */
export function contentsOfMix({ item, joins, under }: MixRecipe): string[] {
  const heard = [{ item, joins }, ...under];
  const contents = heard.flatMap((each) => [each.item.contentHash, ...each.joins.flatMap(contentsOfJoin)]);
  return [...new Set(contents)];
}

/** Frames of the sound grid of a run. */
interface GridStretch {
  readonly gridFrame: number;
  readonly groupCount: number;
}

/** What of the pictures' own sound is heard from before a stretch until after it. */
function heardUnder(
  { pictures, format }: NonNullable<JoinedTrack['under']>,
  { gridFrame, groupCount }: GridStretch,
  framesPerSecond: number,
): HeardUnder[] {
  const samplesPerFrame = soundSampleRate / framesPerSecond;
  const base = gridFrame * samplesPerSoundFrame;
  const from = Math.max(0, base - mixLeadGroups * samplesPerSoundFrame);
  const until = base + (groupCount + mixTrailGroups) * samplesPerSoundFrame;
  const heard: HeardUnder[] = [];
  for (const occurrence of occurrencesFrom(pictures.entries, Math.floor(from / samplesPerFrame), framesPerSecond)) {
    const begins = occurrence.startFrame * samplesPerFrame;
    if (begins >= until) break;
    const { under } = occurrence.item;
    const item = under && canBeMixed(occurrence.item) ? soundOf(pictures, occurrence, framesPerSecond) : null;
    if (!under || !item) continue;
    const [first, end] = [Math.max(begins, from), Math.min(begins + occurrence.frameCount * samplesPerFrame, until)];
    const isNear = ({ firstGroup, groupCount: count }: JoinRecipe) =>
      firstGroup * samplesPerSoundFrame < end - begins && (firstGroup + count) * samplesPerSoundFrame > first - begins;
    const joins = pictureJoinsAt(pictures, occurrence, format).map(({ recipe }) => recipe.sound);
    const { gainDB, duck } = under;
    const place = { startSample: first - begins, fromSample: first - base, sampleCount: end - first };
    heard.push({ item, joins: joins.filter(isNear), gainDB, duck, ...place });
  }
  return heard;
}

/** Short however much is in it: a few seconds may have dozens of videos. */
function mixName({ item, joins, firstGroup, groupCount, under }: MixRecipe): string {
  const heard = under.map(({ gainDB, duck, startSample, fromSample, sampleCount, ...each }) => {
    const place = [startSample, fromSample, sampleCount];
    return [soundName(each.item), each.joins.map(joinName), gainDB, duck, ...place];
  });
  const parts = [soundName(item), joins.map(joinName), firstGroup, groupCount, heard];
  return `m${recipeVersion}/${sha256(JSON.stringify(parts))}`;
}
