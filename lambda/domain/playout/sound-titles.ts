// The titles of the audio track over pictures: a pure function of both timelines.
import { textsOf } from './drawings.ts';
import type { TextBlock } from './drawings.ts';
import type { Overlays } from './overlays.ts';
import { fromOrigin, occurrencesFrom } from './play-out.ts';
import type { ItemOccurrence, TimelineEntry, TimelineOverlays } from './play-out.ts';

/** Frames of a run, counted from its anchor. */
export interface FrameStretch {
  readonly startFrame: number;
  readonly frameCount: number;
}

/** The overlays of a track of pictures at an occurrence. */
export function overlaysAt(
  entries: readonly TimelineEntry[],
  { entryNumber }: Pick<ItemOccurrence, 'entryNumber'>,
): TimelineOverlays | undefined {
  return entries.find(({ number }) => number === entryNumber)?.snapshot.overlays;
}

/** Whether the overlays of a video track show the titles of the audio track. */
export function showsSoundTitles(entries: readonly TimelineEntry[]): boolean {
  return entries.some(({ snapshot }) => snapshot.overlays?.ofSound);
}

/**
 * The titles of the sound during a stretch of pictures, in seconds after its beginning. A title that started before the
 * stretch begins with it; a title that ends after the stretch has no end.
 * @param sound the audio track; its items never begin together
 * @param longestSeconds longest time to show a title
 */
export function soundTexts(
  overlays: Overlays,
  sound: readonly TimelineEntry[],
  { startFrame, frameCount }: FrameStretch,
  framesPerSecond: number,
  longestSeconds = Infinity,
): TextBlock[] {
  const seconds = frameCount / framesPerSecond;
  const texts: TextBlock[] = [];
  for (const { occurrence, next } of withNext(sound, startFrame, framesPerSecond)) {
    if (occurrence.startFrame >= startFrame + frameCount) break;
    const { item, part } = occurrence;
    const played = fromOrigin(occurrence);
    const begins = (played.startFrame - startFrame) / framesPerSecond;
    const endSeconds = played.frameCount / framesPerSecond;
    // The next item is announced at the end of this one, and not before a break.
    const durationSeconds = (part?.untilSeconds ?? null) === null ? endSeconds : item.durationSeconds;
    for (const text of textsOf(overlays, { ...item, durationSeconds, next })) {
      const fromSeconds = Math.max(text.fromSeconds, played.skippedFrames / framesPerSecond);
      const from = Math.max(0, begins + fromSeconds);
      const ends = Math.min(text.toSeconds ?? Infinity, endSeconds, text.fromSeconds + longestSeconds);
      const to = begins + ends;
      if (to > from && from < seconds) texts.push({ ...text, fromSeconds: from, toSeconds: to < seconds ? to : null });
    }
  }
  return texts;
}

/** The occurrences of a track from a frame on, each with the next item; null if that is the same item again. */
function* withNext(sound: readonly TimelineEntry[], frame: number, framesPerSecond: number) {
  let occurrence: ItemOccurrence | null = null;
  for (const next of occurrencesFrom(sound, frame, framesPerSecond)) {
    if (occurrence) {
      const isOther = next.item.itemID !== occurrence.item.itemID;
      yield { occurrence, next: isOther ? next.item : null };
    }
    occurrence = next;
  }
}

/** A text whose times are moved later by `seconds`. */
export function laterBy(seconds: number, text: TextBlock): TextBlock {
  const { fromSeconds, toSeconds } = text;
  return { ...text, fromSeconds: fromSeconds + seconds, toSeconds: toSeconds === null ? null : toSeconds + seconds };
}

/** A text that identifies how overlays show the titles of the audio track; empty if they do not. */
export function soundTitlesKey(overlays: Overlays | null | undefined): string {
  if (!overlays?.ofSound) return '';
  const { title, next, theme } = overlays;
  const { style, textColour, panelColour, panelOpacityPercent } = theme;
  const texts = [title && [title.place, title.seconds], next && [next.place, next.seconds, next.label]];
  return JSON.stringify([...texts, style, textColour, panelColour, panelOpacityPercent]);
}
