// Limits the part of an item that one ffmpeg opens, so that it has few texts to draw.
import { afterCues } from '../../domain/playout/captions.ts';
import { captionsOver } from '../../domain/playout/drawings.ts';
import { fromOrigin, occurrenceAt, occurrencesFrom } from '../../domain/playout/play-out.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import { overlaysAt } from '../../domain/playout/sound-titles.ts';
import { cuesOf } from '../drawing/layer-overlays.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { MediaOptions } from './media-options.ts';

/**
 * Most texts that one ffmpeg draws: titles of songs by number and by time, captions, and time of a clock. Captions are
 * those of 1080p. Larger pictures have fewer, so that their texts take no more memory (`encoding` in capacity.ts).
 */
const most = { titledSongs: 40, titledSeconds: 1800, cues: 40, clockSeconds: 1800 } as const;
const pixelsOf1080p = 1920 * 1080;

/** The frame at which the part that begins at `frame` must end, to have few enough texts. */
export async function endOfTexts(frame: number, options: MediaOptions): Promise<number> {
  const { framesPerSecond: rate } = options.profile;
  const timelines = await options.loadTimelines();
  const { video } = timelines;
  const hasClock = Boolean(overlaysAt(video, occurrenceAt(video, frame, rate))?.clock);
  return Math.min(
    endOfSongTitles(timelines, frame, rate),
    await endOfCaptions(timelines, frame, options),
    hasClock ? frame + most.clockSeconds * rate : Infinity,
  );
}

/** Most captions that one ffmpeg draws over pictures of a size. */
export function mostCuesOver({ width, height }: Pick<Profile, 'width' | 'height'>): number {
  return Math.floor(most.cues * Math.min(1, pixelsOf1080p / (width * height)));
}

async function endOfCaptions({ video }: Timelines, frame: number, options: MediaOptions): Promise<number> {
  const { framesPerSecond: rate } = options.profile;
  const occurrence = occurrenceAt(video, frame, rate);
  const overlays = overlaysAt(video, occurrence);
  const captions = overlays && captionsOver(overlays, occurrence.item);
  if (!captions) return Infinity;
  const { startFrame } = fromOrigin(occurrence);
  const cues = await cuesOf(captions.hash, options);
  const endsMs = afterCues(cues, ((frame - startFrame) / rate) * 1000, mostCuesOver(options.profile));
  return Math.max(startFrame + Math.floor((endsMs / 1000) * rate), frame + rate);
}

/** The frame at which titles of the sound track require an end: the end of a song. Infinity without such titles. */
function endOfSongTitles({ video, audio }: Timelines, frame: number, framesPerSecond: number): number {
  if (audio.length === 0 || !overlaysAt(video, occurrenceAt(video, frame, framesPerSecond))?.ofSound) return Infinity;
  let end = frame;
  for (const { startFrame, frameCount } of occurrencesFrom(audio, frame, framesPerSecond).take(most.titledSongs)) {
    end = startFrame + frameCount;
    if (end - frame >= most.titledSeconds * framesPerSecond) break;
  }
  return end;
}
