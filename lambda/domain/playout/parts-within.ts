// The parts that a run sends within a stretch of time.
import type { ComposedTrack } from './composed-sound.ts';
import { picturePartsAt, soundPartsAt, titledPartsWithin } from './composition-parts.ts';
import type { PlacedPart } from './composition-parts.ts';
import { hasJoins } from './item-joins.ts';
import { mixPartsWithin } from './mixed-sound.ts';
import { occurrencesFrom } from './play-out.ts';
import type { ItemOccurrence } from './play-out.ts';
import type { PictureFormat } from './rendition.ts';
import type { FrameStretch } from './sound-titles.ts';
import { framesPerSecond as rates } from '../shared/video-format.ts';

export interface ComposedTracks {
  readonly video: ComposedTrack;
  readonly audio: ComposedTrack;
}

/**
 * The parts that are sent within a stretch, each once, in the order in which they are first sent.
 * @param mostItems the most occurrences of a track to search for joins
 */
export function partsWithin(
  { video, audio }: ComposedTracks,
  stretch: FrameStretch,
  format: PictureFormat,
  mostItems: number,
): PlacedPart[] {
  const rate = rates[format.framerate];
  const joins = ({ entries }: ComposedTrack, partsAt: (occurrence: ItemOccurrence) => PlacedPart[]) => {
    if (!hasJoins(entries, rate)) return [];
    const occurrences = occurrencesFrom(entries, stretch.startFrame, rate).take(mostItems).toArray();
    const end = stretch.startFrame + stretch.frameCount;
    return occurrences.filter(({ startFrame }) => startFrame <= end).flatMap(partsAt);
  };
  const parts = [
    ...joins(audio, (occurrence) => soundPartsAt(audio, occurrence, rate)),
    ...joins(video, (occurrence) => picturePartsAt(video, occurrence, format)),
    ...(video.heard ? titledPartsWithin(video, stretch, format) : []),
    ...(audio.under ? mixPartsWithin(audio, stretch, rate) : []),
  ].toSorted((one, other) => one.startFrame - other.startFrame);
  const byName = new Map<string, PlacedPart>();
  for (const part of parts) if (!byName.has(part.name)) byName.set(part.name, part);
  return [...byName.values()];
}
