// Prepared items are sent framed if that rendition exists, otherwise in an existing one, equally by every agent.
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { lookKey } from '../../../lambda/domain/playout/drawings.ts';
import { formatName, renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import type { PictureFormat } from '../../../lambda/domain/playout/rendition.ts';
import type { DrawnLogo } from '../../../lambda/publisher/ffmpeg/overlays.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { fastEncoder, mediaSample, serveSamples, uprightSample } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const blurred = { ...format, framing: 'blur' } as const;
const film = item('upright', 1, { framing: 'blur' });
let clips: PreparedClips;

beforeAll(async () => {
  clips = await preparedClips(tools);
  await clips.prepare(film, await uprightSample());
  await clips.prepare(film, await uprightSample(), blurred);
});
afterAll(() => clips[Symbol.asyncDispose]());

/** Media of three laps, if the item exists in these formats. */
async function sent(
  formats: readonly PictureFormat[],
  items: readonly TimelineItem[] = [film],
  looks: ReadonlyMap<string, number> = new Map(),
) {
  const ingest = new CheckingIngest();
  const media = mediaOptions(clips.objects, () => ({ video: timelineOf(...items) }));
  const loadTimelines = async () => {
    const { video, audio } = await media.options.loadTimelines();
    return { video: { ...video, formats: new Map([[film.uploadID, formats]]), looks }, audio };
  };
  await play({ ...media, options: { ...media.options, loadTimelines } }, ingest, { seconds: 3 });
  expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
  return { pictures: ingest.video.map(({ payload }) => payload.toString('base64')), unreadable: media.unreadable };
}

it('is sent as it is framed, else with black bars, else as it is there', async () => {
  const [bars, framed] = [await sent([format], [item('upright', 1)]), await sent([format, blurred])];
  expect(framed.pictures).not.toEqual(bars.pictures);
  expect((await sent([format])).pictures).toEqual(bars.pictures);
  expect((await sent([blurred], [item('upright', 1)])).pictures).toEqual(framed.pictures);
});

it('is sent with black bars where the framed pictures are gone, and these are asked for', async () => {
  const bars = await sent([format]);
  const key = segmentKey(renditionOf(film.uploadID, film, blurred), 0);
  const bytes = await buffer(await clips.objects.read(key));
  await clips.objects.delete(key);
  const { pictures, unreadable } = await sent([format, blurred]);
  await clips.objects.write(key, bytes, { contentType: 'application/octet-stream' });
  expect(pictures).toEqual(bars.pictures);
  expect(unreadable).toContain('upright 0');
});

it('is sent with what is drawn over it from the item on that all agents know, and before that without', async () => {
  const drawn = `o${'0'.repeat(16)}` as const;
  const named = { ...format, drawn };
  const withLogo = item('upright', 1, { drawn });
  await using server = await serveSamples();
  const logo = {
    sourceURL: server.urlOf(await mediaSample('still.jpg')),
    place: 'topLeft',
    widthPercent: 30,
    opacityPercent: 100,
  };
  await clips.prepare(film, await uprightSample(), named, fastEncoder, {
    overlay: { logo: logo as DrawnLogo, sheet: null },
  });
  const [bars, unknown] = [await sent([format], [item('upright', 1)]), await sent([format, named], [withLogo])];
  expect(unknown.pictures).toEqual(bars.pictures);
  const looks = (fromSeconds: number) => new Map([[lookKey('upright', formatName(named)), fromSeconds]]);
  const known = await sent([format, named], [withLogo], looks(0));
  expect(known.pictures).toHaveLength(bars.pictures.length);
  expect(known.pictures).not.toEqual(bars.pictures);
  const later = await sent([format, named], [withLogo], looks(1.5));
  // The third lap begins after it. The first message is not a picture.
  expect(later.pictures.slice(0, 61)).toEqual(bars.pictures.slice(0, 61));
  expect(later.pictures.slice(61)).toEqual(known.pictures.slice(61));
});
