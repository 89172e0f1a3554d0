// Files with transparency, Dolby Vision or mono tracks: their facts, and their pictures with both backends.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findingsOf } from '../../../lambda/domain/media/findings.ts';
import { nothingMeasured } from '../../../lambda/domain/media/measurements.ts';
import { renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import { progressOf } from '../../../lambda/publisher/inspecting/inspector.ts';
import { onlyLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import type { MediaFacts } from '../../../lambda/publisher/media/probe.ts';
import { everyMediaTools, madeSample, mediaToolsFor, writtenFile } from '../../support/media-samples.ts';
import { decodePictures, encodeItem, itemRequest, joinItems, readSound } from '../ffmpeg/encoded-item.ts';
import { flvOf } from '../prepared/checking-ingest.ts';
import { format, item, preparedClips, receiveRendition } from '../prepared/prepared-clips.ts';

const run = promisify(execFile);
const builds = await everyMediaTools();
const never = new AbortController().signal;
const words = (text: string): string[] => text.split(' ');
const unclaimed = { mimeType: null, type: null, fileSize: null };

/** The kinds of findings that need no measuring. */
function saidOf({ reading, durationSeconds }: MediaFacts): string[] {
  const facts = { durationSeconds: durationSeconds!, size: null, hasSound: false, sizeBytes: null, videoCodec: null };
  return findingsOf(nothingMeasured, { ...facts, ...(reading && { reading }) }, null, true).map(({ kind }) => kind);
}

/** The same item with both backends: its first picture (the luma of 16 by 9 pixels), and its samples. */
async function played(by: (typeof builds)[number]['tools'], path: string, facts: MediaFacts) {
  const { kind, hasAudio, durationSeconds, dynamicRange, reading } = facts;
  if (kind === 'audio') throw new TypeError('sound has no pictures');
  const layers = [onlyLayer({ sourceURL: path, kind, dynamicRange, ...(reading && { reading }) })];
  const request = { ...itemRequest(path, { frameCount: 20 }), layers };
  const [encoded] = await decodePictures(by, joinItems([await encodeItem(by, { ...request, frameCount: 2 })]));
  await using clips = await preparedClips(by);
  const clip = item('clip', durationSeconds ?? 1, { kind, hasAudio, dynamicRange, ...(reading && { reading }) });
  await clips.prepare(clip, path);
  const { ingest } = await receiveRendition(clips.objects, renditionOf('clip', clip, format));
  const flv = flvOf(ingest);
  const [prepared] = await decodePictures(by, flv);
  return {
    pictures: { encoded: encoded!, prepared: prepared! },
    samples: hasAudio ? { encoded: await readSound(by, request, reading), prepared: await samplesIn(by, flv) } : null,
  };
}

async function samplesIn({ ffmpegPath }: (typeof builds)[number]['tools'], flv: Buffer): Promise<Int16Array> {
  const path = await writtenFile('played.flv', flv);
  const decoding = ['-v', 'error', '-i', path, ...words('-map 0:a -f s16le -t 1 -')];
  const { stdout } = await run(ffmpegPath, decoding, { encoding: 'buffer', maxBuffer: 1024 ** 2 });
  return new Int16Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 2));
}

/** The pitch of a channel in Hz, rounded to 100, by the times at which it rises from low to high. */
function pitchOf(samples: Int16Array, channel: 0 | 1): number {
  const heard = samples.filter((_, index) => index % 2 === channel);
  let [isLow, rises] = [false, 0];
  for (const sample of heard) {
    if (sample < -1000) isLow = true;
    else if (sample > 1000 && isLow) [isLow, rises] = [false, rises + 1];
  }
  return Math.round((rises * 48_000) / heard.length / 100) * 100;
}

const lumaAt = (picture: Uint8Array, column: number, row = 4): number => picture[row * 16 + column]!;
const moving = words('-f lavfi -i testsrc2=s=320x180:r=25:d=2');

describe.each(builds)('with the $name build', { timeout: 120_000 }, ({ tools: by }) => {
  const probe = (path: string): Promise<MediaFacts> => probeMedia(by, path, unclaimed, never);

  // White everywhere, opaque on the left half only. Black is 16 and white 235.
  const half = [
    '-f',
    'lavfi',
    '-i',
    "color=white:s=320x180:r=10:d=1,format=rgba,geq=r=255:g=255:b=255:a='if(lt(X,160),255,0)'",
  ];
  it.each([
    ['webm', 'VP9', words('-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuva420p')],
    ['mkv', 'VP8', words('-c:v libvpx -deadline realtime -cpu-used 8 -auto-alt-ref 0 -pix_fmt yuva420p')],
    ['mov', 'ProRes 4444', words('-c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le')],
    ['mov', 'Animation', words('-c:v qtrle -pix_fmt argb')],
  ])('transparency is black in .%s of %s', async (extension, codec, recipe) => {
    const path = await madeSample(`half-${codec.replace(' ', '-')}.${extension}`, [...half, ...recipe]);
    const facts = await probe(path);
    expect(saidOf(facts)).toEqual(['transparent']);
    const { encoded, prepared } = (await played(by, path, facts)).pictures;
    for (const picture of [encoded, prepared]) {
      expect(lumaAt(picture, 3)).toBeGreaterThan(230);
      expect(lumaAt(picture, 12)).toBeLessThan(20);
    }
  });

  it.each([
    ['gif', words('-vf split[a][b];[a]palettegen[p];[b][p]paletteuse')],
    ['apng', words('-plays 0 -f apng')],
  ])('an animation with transparency is a still on black in .%s', async (extension, recipe) => {
    const path = await madeSample(`half.${extension}`, [...half, ...recipe]);
    const facts = await probe(path);
    expect(facts.kind).toBe('image');
    const { encoded, prepared } = (await played(by, path, facts)).pictures;
    for (const picture of [encoded, prepared]) {
      expect(lumaAt(picture, 3)).toBeGreaterThan(230);
      expect(lumaAt(picture, 12)).toBeLessThan(20);
    }
  });

  it('uncompressed pictures whose fourth byte is empty are not transparent', async () => {
    const path = await madeSample('captured.avi', [...moving, ...words('-c:v rawvideo -pix_fmt bgra')]);
    // AVI counts in pictures, so each search begins one picture earlier. Nothing else is unusual.
    expect((await probe(path)).reading).toEqual({ leadSeconds: 1 / 25 });
  });

  it.each([
    ['pcm_s16le', 'mxf', 'mpeg2video'],
    ['pcm_s24le', 'mov', 'mpeg4'],
  ])('mono tracks of %s in .%s are left and right', async (codec, extension, pictures) => {
    const tones = words('-f lavfi -i sine=f=400:d=2 -f lavfi -i sine=f=1000:d=2 -f lavfi -i sine=f=3000:d=2');
    const tracks = [...words('-map 0 -map 1 -map 2 -map 3 -ar 48000 -c:v'), pictures, '-c:a', codec];
    const path = await madeSample(`mono-tracks.${extension}`, [
      ...moving,
      ...tones,
      ...tracks,
      ...words('-af volume=5'),
    ]);
    const facts = await probe(path);
    expect(facts.reading).toMatchObject({ right: 2 });
    expect(saidOf(facts)).toEqual(['mono_tracks']);
    const samples = (await played(by, path, facts)).samples!;
    for (const heard of [samples.encoded, samples.prepared])
      expect([pitchOf(heard, 0), pitchOf(heard, 1)]).toEqual([400, 1000]);
  });

  it.each([
    ['in two languages', words('-c:a pcm_s16le -metadata:s:a:0 language=eng -metadata:s:a:1 language=fra'), 'mov'],
    ['as recording programs write each microphone', words('-c:a aac'), 'mp4'],
    ['beside a stereo track', words('-c:a pcm_s16le -ac:a:0 2'), 'mov'],
    [
      'of which the second is the default one',
      words('-c:a pcm_s16le -disposition:a:1 default -disposition:a:0 0'),
      'mkv',
    ],
  ])('mono tracks are no channels %s', async (name, recipe, extension) => {
    const tones = words('-f lavfi -i sine=f=400:d=2 -f lavfi -i sine=f=1000:d=2');
    const tracks = words('-map 0 -map 1 -map 2 -ar 48000 -c:v mpeg4');
    const path = await madeSample(`${name.replaceAll(' ', '-')}.${extension}`, [
      ...moving,
      ...tones,
      ...tracks,
      ...recipe,
    ]);
    expect((await probe(path)).reading?.right).toBeUndefined();
  });

  it('the loudness of mono tracks is that of both channels', async () => {
    const path = await madeSample('half-silent.mov', [
      ...moving,
      ...words('-f lavfi -i anullsrc=r=48000:cl=mono:d=2 -f lavfi -i sine=f=1000:d=2 -map 0 -map 1 -map 2'),
      ...words('-c:v mpeg4 -c:a pcm_s16le -ar 48000'),
    ]);
    const { reading, width, height } = await probe(path);
    const upload = {
      reading,
      width,
      height,
      framerate: 25,
      size_bytes: null,
      type: 'video',
      mime_type: 'video/quicktime',
    };
    const facts = { duration_seconds: 2, has_video: true, has_audio: true, dynamic_range: 'sdr', video_codec: 'mpeg4' };
    const source = { tools: by, sourceURL: path, signal: never };
    const times = { usualMs: 60_000, longestMs: 60_000 };
    const { findings, loudness } = await progressOf(
      { measurements: null },
      { ...upload, ...facts } as never,
      source,
      times,
    );
    expect(findings.map(({ kind }) => kind)).toContain('mono_tracks');
    expect(loudness!.integratedLUFS).toBeGreaterThan(-30);
  });
});

describe('Dolby Vision', { timeout: 60_000 }, async () => {
  const maker = await mediaToolsFor('hevc');
  /** HEVC in PQ, whose box of square pixels becomes one of Dolby Vision (Dolby Vision Streams Within ISOBMFF, 3.2). */
  async function visionOf(profile: number, compatibleWith: number): Promise<string> {
    const hevc = words('-c:v libx265 -x265-params log-level=error -pix_fmt yuv420p10le -tag:v hvc1 -t 1');
    const pq = words('-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc');
    const bytes = await readFile(await madeSample('pq.mp4', [...moving, ...hevc, ...pq]));
    const box = bytes.indexOf('pasp');
    bytes.write('dvcC', box, 'latin1');
    bytes.set([1, 0, profile << 1, 0b1_101, compatibleWith << 4, 0, 0, 0], box + 4);
    return writtenFile(`vision-${profile}-${compatibleWith}.mp4`, bytes);
  }

  describe.each(builds)('with the $name build', ({ tools: by }) => {
    const probe = (path: string): Promise<MediaFacts> => probeMedia(by, path, unclaimed, never);

    it.runIf(maker).each([
      [5, 0],
      [10, 0],
    ])('of profile %i without another reading is refused with a way out', async (profile, compatibleWith) => {
      await expect(probe(await visionOf(profile, compatibleWith))).rejects.toMatchObject({
        code: 'unsupported',
        detail: expect.stringMatching(/^The pictures are in Dolby Vision profile \d+, .*HDR10, HLG or SDR/u),
      });
    });

    it.runIf(maker).each([
      [7, 6],
      [8, 1],
      [8, 4],
      [10, 1],
    ])('of profile %i that reads as %i is high dynamic range', async (profile, compatibleWith) => {
      expect(await probe(await visionOf(profile, compatibleWith))).toMatchObject({ dynamicRange: 'pq' });
    });
  });
});
