// Both replicas of a prepared stream send equal media through fades, logos and texts, also when edited live.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawingName, variantsOf } from '../../lambda/domain/playout/drawing-names.ts';
import { wholeDrawing, withNext } from '../../lambda/domain/playout/drawings.ts';
import type { Drawing } from '../../lambda/domain/playout/drawings.ts';
import { usualLogo, usualNext, usualTheme, usualTitle } from '../../lambda/domain/playout/overlays.ts';
import type { Overlays } from '../../lambda/domain/playout/overlays.ts';
import { withPictureJoins } from '../../lambda/domain/playout/item-joins.ts';
import { partsWithin } from '../../lambda/domain/playout/parts-within.ts';
import { occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry } from '../../lambda/domain/playout/play-out.ts';
import type { RenditionFormat } from '../../lambda/domain/playout/rendition.ts';
import type { MediaStart } from '../../lambda/publisher/destination/publisher.ts';
import { audioFormat } from '../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { madeSample, mediaSample, serveSamples } from '../support/media-samples.ts';
import { CheckingIngest } from '../publisher/prepared/checking-ingest.ts';
import { makeParts } from '../publisher/prepared/made-parts.ts';
import { makeRenditions } from '../publisher/prepared/made-renditions.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from '../publisher/prepared/prepared-clips.ts';
import type { PreparedClips } from '../publisher/prepared/prepared-clips.ts';

const tools = await findMediaTools(process.env);
const overlays: Overlays = {
  logo: { uploadID: 'logo', ...usualLogo },
  title: { ...usualTitle, seconds: 3 },
  next: { ...usualNext, seconds: 2 },
  theme: usualTheme,
};
const whole = wholeDrawing(overlays)!;
/** In the first item, the title and the next item's title are far apart; in the second, one variant has both. */
const films = [item('first', 9.3), item('second', 6.1)];
/** Start of an edit while live: at an item, like joins and renditions that are made meanwhile. */
const editSeconds = 9.3 - 1 + (6.1 - 1);
const rate = 30;
const aacFramesPerSecond = audioFormat.sampleRate / audioFormat.samplesPerAacFrame;
const seconds = 30;
let clips: PreparedClips;
let server: Awaited<ReturnType<typeof serveSamples>>;
let logoURL: string;
const paths = new Map<string, string>();
const drawings = new Map<string, Drawing>([[drawingName(whole), whole]]);
const looks = new Map<string, number>();
const formats = new Map<string, RenditionFormat[]>();
const joins = new Map<string, number>();

beforeAll(async () => {
  clips = await preparedClips(tools);
  server = await serveSamples();
  logoURL = server.urlOf(await mediaSample('still.jpg'));
  for (const { uploadID, durationSeconds } of films) {
    const pictures = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=30:d=${durationSeconds}`];
    const tone = ['-f', 'lavfi', '-i', `sine=${uploadID === 'first' ? 440 : 700}:r=48000:d=${durationSeconds}`];
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le'];
    const path = await madeSample(`replicas-${uploadID}.mov`, [...pictures, ...tone, ...codecs]);
    paths.set(uploadID, path);
  }
  for (const film of films) await clips.prepare(film, paths.get(film.uploadID)!);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

const titledAs = (artist: string) =>
  withPictureJoins(
    withNext(
      films.map((film) => ({ ...film, titles: { title: film.uploadID, artist } })),
      'sequential',
    ).map(({ next, ...film }) => {
      const variants = variantsOf(overlays, { ...film, ...(next && { next }) });
      for (const { name, drawing } of variants) drawings.set(name, drawing);
      return { ...film, drawn: drawingName(whole), variants: variants.map(({ name }) => name) };
    }),
    { kind: 'crossfade', seconds: 1 },
  );

/** Prepares all overlays of items and their joins, which are sent from a time of the run on. */
async function makeAll(entries: readonly TimelineEntry[], fromSeconds: number): Promise<void> {
  const pathOf = (hash: string) => paths.get(hash)!;
  const making = { tools, clips, objects: clips.objects, pathOf, logoPath: logoURL, drawings, fromSeconds };
  await makeRenditions(entries, format, making, { formats, looks });
  const track = { entries, contentHashes: new Map(films.map(({ uploadID }) => [uploadID, uploadID])) };
  const stretch = { startFrame: 0, frameCount: seconds * rate };
  const parts = partsWithin({ video: track, audio: { entries: [] } }, stretch, format, 100);
  await makeParts(parts, making, joins);
}

/** An ingest whose times count from the beginning of a connection. */
class Ingest extends CheckingIngest {
  originMs = 0;

  override begin(start: MediaStart): void {
    this.originMs = start.originMs;
    super.begin(start);
  }
}

/** Media that a replica sends if it begins with a frame: pictures and frames of sound, by their places in the run. */
async function sent(
  entries: readonly TimelineEntry[],
  startFrame: number,
  endSeconds = seconds,
): Promise<Map<string, string>> {
  const ingest = new Ingest();
  const media = mediaOptions(clips.objects, () => ({ video: entries, joins }));
  const loadTimelines = async () => {
    const { video, audio } = await media.options.loadTimelines();
    return { video: { ...video, formats, looks }, audio };
  };
  const options = { startFrame, seconds: endSeconds - startFrame / rate };
  await play({ ...media, options: { ...media.options, loadTimelines } }, ingest, options);
  expect(media.unreadable).toEqual([]);
  const placed = (kind: 'video' | 'audio', perSecond: number) =>
    ingest[kind]
      .filter(({ payload }) => payload[1] === 1)
      .map(({ timestampMs, payload }) => {
        const place = Math.round(((timestampMs + ingest.originMs) / 1000) * perSecond);
        return [`${kind} ${place}`, payload.toString('base64')] as const;
      });
  return new Map([...placed('video', rate), ...placed('audio', aacFramesPerSecond)]);
}

it('send the same frames at the same times, also where texts change and their pictures come later', async () => {
  const [before, edited] = [titledAs('The Loops'), titledAs('Somebody Else')].map((items) => {
    const [entry] = timelineOf(...items);
    return { ...entry!, snapshot: { ...entry!.snapshot, overlays: { ...overlays, logoKey: 'logo' } } };
  });
  const entries = [before!, { ...edited!, number: 1, offsetSeconds: editSeconds }];
  await makeAll([before!], 0);
  await makeAll(entries, editSeconds + 1);
  const primary = await sent(entries, 0, seconds + 1);
  expect(primary.size).toBeGreaterThan((seconds - 1) * rate * 2);

  // After the fade, while a title is shown, and before the end: one text, none while its pictures are missing, and the
  // other text.
  const starts = [...occurrencesFrom(entries, 0, rate).take(5)].filter(
    ({ item: { uploadID } }) => uploadID === 'first',
  );
  for (const seen of [2.5, 7.5]) {
    const shown = starts.map(({ startFrame }) => primary.get(`video ${startFrame + seen * rate}`));
    expect([...new Set(shown)]).toHaveLength(3);
  }

  // One begins in the first fade, one in an item that is sent without its title.
  for (const startFrame of [255, 500]) {
    const backup = await sent(entries, startFrame);
    expect(backup.size).toBeGreaterThan((seconds - 1) * rate * 2 - startFrame * 2.6);
    expect([...backup].filter(([place, payload]) => primary.get(place) !== payload).map(([place]) => place)).toEqual(
      [],
    );
  }
});
