// Titles over pictures follow the sound track, with both backends: each song's at its time, whatever the pictures are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualNext, usualTheme } from '../../lambda/domain/playout/overlays.ts';
import { occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import { titledPartsWithin } from '../../lambda/domain/playout/composition-parts.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { CheckingIngest } from '../publisher/prepared/checking-ingest.ts';
import { openEncoded } from '../publisher/prepared/heard-sound.ts';
import { panelWidths } from '../publisher/prepared/panel-widths.ts';
import { makeParts } from '../publisher/prepared/made-parts.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from '../publisher/prepared/prepared-clips.ts';
import type { PreparedClips } from '../publisher/prepared/prepared-clips.ts';
import { madeSample } from '../support/media-samples.ts';

const tools = await findMediaTools(process.env);
const rate = 30;
const seconds = 27;
const overlays = {
  logo: null,
  logoKey: null,
  title: { place: 'topLeft', seconds: 2 },
  next: { ...usualNext, place: 'topLeft', seconds: 1, label: 'After this' },
  theme: { ...usualTheme, panelColour: '#ffffff', panelOpacityPercent: 100, textColour: '#000000' },
  ofSound: true,
} as const;
const titles = ['Rain', 'A much longer song', 'Winter'];
const songs = titles.map((title, index) =>
  item(`song${index}`, [5.5, 4.13, 6.02][index]!, { kind: 'audio', titles: { title } }),
);
const film = item('film', 25, { hasAudio: false });
const still = item('still', 3600, { kind: 'image', hasAudio: false });
const paths = new Map<string, string>();
let clips: PreparedClips;

beforeAll(async () => {
  clips = await preparedClips(tools);
  const black = (options: string) => ['-f', 'lavfi', '-i', `color=black:s=320x180:r=30${options}`];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
  paths.set('film', await madeSample('black-25.mp4', [...black(':d=25'), ...h264]));
  paths.set('still', await madeSample('black.png', [...black(''), '-frames:v', '1']));
  for (const { uploadID, durationSeconds } of songs) {
    const tone = ['-f', 'lavfi', '-i', `sine=440:r=48000:d=${durationSeconds}`];
    paths.set(uploadID, await madeSample(`tone-${durationSeconds}.wav`, tone));
    await clips.prepare(
      songs.find((song) => song.uploadID === uploadID)!,
      paths.get(uploadID)!,
      'sound',
    );
  }
  for (const each of [film, still]) await clips.prepare(each, paths.get(each.uploadID)!);
});
afterAll(() => clips[Symbol.asyncDispose]());

/** The pictures with their overlays, and the songs in sequence. */
function tracksOf(pictures: TimelineItem) {
  const [entry] = timelineOf(pictures);
  return { video: [{ ...entry!, snapshot: { ...entry!.snapshot, overlays } }], audio: timelineOf(...songs) };
}

/** The expected title of each picture. */
function expected(audio = timelineOf(...songs)): (string | null)[] {
  const told: (string | null)[] = [];
  const all = [...occurrencesFrom(audio, 0, rate).take(10)];
  for (const [index, { item: song, frameCount }] of all.entries())
    for (let frame = 0; frame < frameCount; frame++) {
      if (frame < 2 * rate) told.push(song.titles!.title!);
      else told.push(frame >= frameCount - rate ? `After this: ${all[index + 1]?.item.titles?.title}` : null);
    }
  return told.slice(0, (seconds - 1) * rate);
}

/** Titles by the measured widths: equal texts have equal widths, different texts different ones. */
function namedBy(widths: readonly number[], told: readonly (string | null)[]): (string | null)[] {
  const widthOf = new Map([...new Set(told)].map((text) => [text, widths[told.indexOf(text) + 3]!]));
  expect(new Set(widthOf.values()).size).toBe(widthOf.size);
  return widths.map((width) => {
    const [text] = [...widthOf].find(([, known]) => Math.abs(known - width) <= 1) ?? [`${width} wide`];
    return text;
  });
}

/** Widths that the ffmpeg backend shows. @param after three seconds */
async function widthsEncoded(
  video: readonly TimelineEntry[],
  audio: readonly TimelineEntry[],
  after: () => unknown = () => {},
) {
  const source = await openEncoded(tools, { video, audio, pathOf: (key) => paths.get(key)! }, 0);
  const ingest = new CheckingIngest();
  for (let frame = 0; frame < seconds * rate; frame++) {
    if (frame === 3 * rate) after();
    const { video: picture } = await source.next();
    const timestampMs = Math.round((frame * 1000) / rate);
    if (picture.sequenceHeader) ingest.send([{ type: 'video', timestampMs, payload: picture.sequenceHeader }]);
    ingest.send([{ type: 'video', timestampMs, payload: picture.payload }]);
  }
  await source.close();
  return panelWidths(tools, ingest, (seconds - 1) * rate);
}

describe.each([
  ['a video', film],
  ['a still image', still],
])('over %s', (_name, pictures) => {
  const tracks = tracksOf(pictures);
  const count = (seconds - 1) * rate;

  it('encoded', async () => {
    const widths = await widthsEncoded(tracks.video, tracks.audio);
    expect(namedBy(widths, expected())).toEqual(expected());
  });

  it('encoded, though other songs are published while they are on the air', async () => {
    const audio = timelineOf(...songs);
    const offsetSeconds = songs[0]!.durationSeconds + songs[1]!.durationSeconds;
    const other = { ...timelineOf(songs[0]!, songs[2]!)[0]!, number: 1, offsetSeconds };
    const widths = await widthsEncoded(tracks.video, audio, () => audio.push(other));
    expect(namedBy(widths, expected(audio))).toEqual(expected(audio));
  });

  it('prepared', async () => {
    const hashes = [pictures, ...songs].map(({ uploadID }) => [uploadID, uploadID] as const);
    const track = { entries: tracks.video, heard: tracks.audio, contentHashes: new Map(hashes) };
    const parts = titledPartsWithin(track, { startFrame: 0, frameCount: seconds * rate }, format);
    const joins = new Map<string, number>();
    await makeParts(parts, { tools, objects: clips.objects, pathOf: (hash) => paths.get(hash)! }, joins);
    const media = mediaOptions(clips.objects, () => ({ ...tracks, joins }));
    const loadTimelines = async () => {
      const { video, audio } = await media.options.loadTimelines();
      return { video: { ...video, heard: tracks.audio }, audio };
    };
    const ingest = new CheckingIngest();
    await play({ ...media, options: { ...media.options, loadTimelines } }, ingest, { seconds });
    expect(media.unreadable).toEqual([]);
    const widths = await panelWidths(tools, ingest, count);
    expect(namedBy(widths, expected())).toEqual(expected());
  });
});
