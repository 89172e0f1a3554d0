// What an ffmpeg draws over the pictures that it encodes, and how much of it at once.
import { afterCues, parseCaptions } from '../../domain/playout/captions.ts';
import type { Cue } from '../../domain/playout/captions.ts';
import { captionsOver, captionTexts, textsOver } from '../../domain/playout/drawings.ts';
import type { DrawnCaptions, DrawnItem } from '../../domain/playout/drawings.ts';
import { occurrenceAt, occurrencesFrom } from '../../domain/playout/play-out.ts';
import type { TimelineItem, TimelineOverlays } from '../../domain/playout/play-out.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import { clockTexts, tickerTexts } from '../../domain/playout/running-texts.ts';
import { laterBy, overlaysAt, soundTexts } from '../../domain/playout/sound-titles.ts';
import { drawTogether } from '../drawing/text-sheet.ts';
import type { PictureJoins } from '../ffmpeg/joined-pictures.ts';
import type { PictureOverlay } from '../ffmpeg/overlays.ts';
import type { MediaOptions } from './media-options.ts';
import type { ItemOverlays, ItemSound } from './item-track.ts';

/** An ffmpeg draws so many songs at once, or those of so long, so many captions, and so long of a clock. */
const most = { toldSongs: 40, toldSeconds: 1800, cues: 40, clockSeconds: 1800 } as const;

/** Up to which frame pictures are opened at a frame, so that there are not too many texts over them. */
export async function endOfTexts(frame: number, options: MediaOptions): Promise<number> {
  const { framesPerSecond: rate } = options.profile;
  const timelines = await options.loadTimelines();
  const { video } = timelines;
  const hasClock = Boolean(overlaysAt(video, occurrenceAt(video, frame, rate))?.clock);
  return Math.min(
    endOfTold(timelines, frame, rate),
    await endOfCaptions(timelines, frame, options),
    hasClock ? frame + most.clockSeconds * rate : Infinity,
  );
}

async function endOfCaptions({ video }: Timelines, frame: number, options: MediaOptions): Promise<number> {
  const { framesPerSecond: rate } = options.profile;
  const occurrence = occurrenceAt(video, frame, rate);
  const overlays = overlaysAt(video, occurrence);
  const captions = overlays && captionsOver(overlays, occurrence.item);
  if (!captions) return Infinity;
  const { startFrame } = occurrence;
  const endsMs = afterCues(await cuesOf(captions, options), ((frame - startFrame) / rate) * 1000, most.cues);
  return Math.max(startFrame + Math.floor((endsMs / 1000) * rate), frame + rate);
}

/** None where the file is gone: the pictures are sent all the same. */
async function cuesOf({ hash }: DrawnCaptions, { captionsOf, log }: MediaOptions): Promise<Cue[]> {
  const file = await captionsOf(hash);
  if (file === null) log('captions_not_found', { hash });
  return file === null ? [] : parseCaptions(file);
}

/** Up to which frame pictures are opened at a frame: where they tell of the sound track, to the end of a song. */
function endOfTold({ video, audio }: Timelines, frame: number, framesPerSecond: number): number {
  if (audio.length === 0 || !overlaysAt(video, occurrenceAt(video, frame, framesPerSecond))?.ofSound) return Infinity;
  let end = frame;
  for (const { startFrame, frameCount } of occurrencesFrom(audio, frame, framesPerSecond).take(most.toldSongs)) {
    end = startFrame + frameCount;
    if (end - frame >= most.toldSeconds * framesPerSecond) break;
  }
  return end;
}

interface DrawnOver {
  readonly item: TimelineItem;
  readonly range: { readonly startFrame: number; readonly frameCount: number };
  readonly sound: ItemSound;
  readonly overlays: ItemOverlays;
}

/** What is drawn over the pictures of an item, and over those of the item before that are still seen in its joins. */
export async function withOverlays(
  joins: PictureJoins | undefined,
  { item, range, sound: { before }, overlays }: DrawnOver,
  options: MediaOptions,
): Promise<{ readonly overlay: PictureOverlay | null; readonly joins: PictureJoins | undefined }> {
  const { head = null, tail = null, stingers = [] } = joins ?? {};
  const beneath = head?.from ? before : null;
  const own = { item: { ...item, next: overlays.next }, itemStartFrame: overlays.itemStartFrame, range };
  const ofBeneath = beneath && {
    item: { ...beneath.item, next: item },
    itemStartFrame: beneath.startFrame,
    range: { startFrame: beneath.frameCount, frameCount: range.frameCount },
  };
  const drawn = await Promise.all([
    drawnBy(overlays.own, own, options),
    ofBeneath ? drawnBy(overlays.before, ofBeneath, options) : null,
  ]);
  const texts = drawn.map((each) => each?.texts ?? []);
  const sheets = await drawTogether(texts, options.profile, options.signal).catch((error: unknown) => {
    options.signal.throwIfAborted();
    options.log('texts_not_drawn', { error: String(error) });
    return [];
  });
  const [overlay = null, overlayBefore = null] = drawn.map((each, index): PictureOverlay | null => {
    const { logo, sheet } = { logo: each?.logo ?? null, sheet: sheets[index] ?? null };
    return logo || sheet ? { logo, sheet } : null;
  });
  if (!head?.from) return { overlay, joins };
  return { overlay, joins: { head: { ...head, from: { ...head.from, overlay: overlayBefore } }, tail, stingers } };
}

interface DrawnPart {
  readonly item: DrawnItem;
  readonly itemStartFrame: number;
  readonly range: { readonly startFrame: number; readonly frameCount: number };
}

/** The logo over a part of an item, and the texts, with times of the item. */
async function drawnBy(
  overlays: TimelineOverlays | null | undefined,
  { item, itemStartFrame, range }: DrawnPart,
  options: MediaOptions,
) {
  if (!overlays) return null;
  const { urlOf, loadTimelines, profile } = options;
  const { framesPerSecond } = profile;
  const { logo, logoKey } = overlays;
  const fromSeconds = range.startFrame / framesPerSecond;
  const stretch = { startFrame: itemStartFrame + range.startFrame, frameCount: range.frameCount };
  const told = overlays.ofSound ? soundTexts(overlays, (await loadTimelines()).audio, stretch, framesPerSecond) : [];
  const texts = [
    ...textsOver(overlays, item).filter(({ toSeconds }) => fromSeconds < (toSeconds ?? Infinity)),
    ...told.map((text) => laterBy(fromSeconds, text)),
  ];
  const captions = captionsOver(overlays, item);
  const toSeconds = fromSeconds + range.frameCount / framesPerSecond;
  const shown = captions
    ? captionTexts(captions, await cuesOf(captions, options), texts, { fromSeconds, toSeconds })
    : [];
  const runSeconds = itemStartFrame / framesPerSecond;
  const clock = overlays.clock
    ? clockTexts(overlays, (await options.anchoredAtMs()) + runSeconds * 1000, { fromSeconds, toSeconds })
    : [];
  const running = [...tickerTexts(overlays, runSeconds), ...clock];
  return { logo: logo && { ...logo, sourceURL: await urlOf(logoKey!) }, texts: [...running, ...texts, ...shown] };
}
