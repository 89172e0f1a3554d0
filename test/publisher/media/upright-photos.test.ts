// Photos of every kind and orientation are upright: their facts, and their pictures with both backends and in lists.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { contentHashOf, renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import { frameArguments, windowArguments } from '../../../lambda/publisher/ffmpeg/item-arguments.ts';
import { onlyLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import { asJpeg, captureImage } from '../../../lambda/publisher/inspecting/capture-image.ts';
import { makePictures } from '../../../lambda/publisher/inspecting/make-pictures.ts';
import { MediaError } from '../../../lambda/publisher/media/media-error.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import type { MediaFacts } from '../../../lambda/publisher/media/probe.ts';
import { prepareSegment } from '../../../lambda/publisher/preparing/prepare-segment.ts';
import { readSegmentHeader } from '../../../lambda/publisher/prepared/segment-format.ts';
import { everyMediaTools, fastEncoder, serveSamples, writtenFile } from '../../support/media-samples.ts';
import { drawn, heldImage, orientedImage, orientedKinds } from '../../support/oriented-images.ts';
import { decodePictures, encodeItem, itemRequest, joinItems, profile } from '../ffmpeg/encoded-item.ts';
import type { Picture } from '../ffmpeg/encoded-item.ts';
import { CheckingIngest, flvOf } from '../prepared/checking-ingest.ts';
import { format } from '../prepared/prepared-clips.ts';

const run = promisify(execFile);
const never = new AbortController().signal;
const unclaimed = { mimeType: null, type: null, fileSize: null };

/** The luma of a JPEG, as 16 by 9 pixels. */
async function lumaOf({ ffmpegPath }: MediaTools, jpeg: Buffer): Promise<Picture> {
  const path = await writtenFile('shown.jpg', jpeg);
  const toLuma = ['-vf', 'scale=16:9:flags=area:out_range=tv,format=gray', '-f', 'rawvideo', 'pipe:1'];
  const { stdout } = await run(ffmpegPath, ['-v', 'error', '-i', path, ...toLuma], { encoding: 'buffer' });
  return stdout;
}

/** An image as the readers of files get it. */
function imageOf(sourceURL: string, { dynamicRange, reading }: MediaFacts) {
  return { sourceURL, kind: 'image', dynamicRange, reading: reading ?? undefined } as const;
}

/** The picture of an image as viewers see it on the ffmpeg backend, and users in lists. */
async function shown(tools: MediaTools, sourceURL: string, facts: MediaFacts): Promise<Record<string, Picture>> {
  const { dynamicRange, reading } = facts;
  const layers = [onlyLayer({ sourceURL, kind: 'image', dynamicRange, ...(reading && { reading }) })];
  const frames = await encodeItem(tools, { ...itemRequest(sourceURL, { frameCount: 2 }), layers });
  const listed = { ...imageOf(sourceURL, facts), durationSeconds: null, artworkStream: null };
  const size = { width: facts.width!, height: facts.height! };
  const { thumbnail } = await makePictures({ tools, sourceURL, signal: never }, { ...listed, size }, 60_000);
  return {
    encoded: (await decodePictures(tools, joinItems([frames])))[0]!,
    thumbnail: await lumaOf(tools, thumbnail!),
  };
}

/** The picture of an image as viewers see it on the prepared backend, and users as single frame and as poster. */
async function shownElsewhere(tools: MediaTools, sourceURL: string, facts: MediaFacts) {
  const image = imageOf(sourceURL, facts);
  const rendition = renditionOf('photo', { kind: 'image', durationSeconds: 0 }, format);
  const segment = { rendition, segment: 0, ...image, hasAudio: false, encoder: fastEncoder };
  const bytes = await prepareSegment(tools, segment, never);
  const header = readSegmentHeader(bytes);
  const ingest = new CheckingIngest();
  ingest.send([{ type: 'video', timestampMs: 0, payload: header.videoSequenceHeader! }]);
  ingest.send([{ type: 'audio', timestampMs: 0, payload: header.audioSequenceHeader }]);
  ingest.sendChunks([bytes.subarray(header.mediaStart)]);
  const captured = async ({ input, filters }: Pick<Parameters<typeof captureImage>[0], 'input' | 'filters'>) => {
    const toJpeg = `scale=iw:-2:in_color_matrix=bt709:${asJpeg}`;
    const source = { tools, sourceURL, signal: never };
    return lumaOf(tools, (await captureImage({ ...source, input, filters: [...filters, toJpeg] }))!);
  };
  const window = { ...image, startSeconds: 0, windowSeconds: 4, count: 1, size: drawn, onlyKeyframes: true };
  return {
    prepared: (await decodePictures(tools, flvOf(ingest)))[0]!,
    frame: await captured(frameArguments({ ...image, startFrame: 0, profile })),
    poster: await captured(windowArguments(window)),
  };
}

/** A turn, and a turn of a mirrored picture. */
const seenElsewhere: ReadonlySet<number> = new Set([6, 7]);

/** The largest difference of two pictures, in steps of luma; encoders make small ones. */
const differenceOf = (one: Picture, other: Picture): number =>
  Math.max(...one.map((luma, index) => Math.abs(luma - other[index]!)));
const mostDifference = 16;

describe.each(await everyMediaTools())('with the $name build', { timeout: 120_000 }, ({ tools }) => {
  const probe = (sourceURL: string) => probeMedia(tools, sourceURL, unclaimed, never);

  it.each(orientedKinds)('a photo in %s is upright in every orientation', async (kind) => {
    const upright = await heldImage(kind, 1);
    const every = async (path: string, facts: MediaFacts) => {
      return { ...(await shown(tools, path, facts)), ...(await shownElsewhere(tools, path, facts)) };
    };
    const wanted: Readonly<Record<string, Picture>> = await every(upright, await probe(upright));
    const faults: string[] = [];
    for (let orientation = 1; orientation <= 8; orientation++) {
      const path = await orientedImage(kind, orientation);
      const facts = await probe(path);
      const { width, height } = facts;
      if (width !== drawn.width || height !== drawn.height) faults.push(`${orientation}: ${width} × ${height}`);
      const seen = await (seenElsewhere.has(orientation) ? every(path, facts) : shown(tools, path, facts));
      for (const [way, picture] of Object.entries(seen)) {
        const difference = differenceOf(picture, wanted[way]!);
        if (difference > mostDifference) faults.push(`${orientation}, ${way}: ${difference}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('a damaged photo in tiff is refused', async () => {
    const bytes = await readFile(await heldImage('tiff', 1));
    // Each strip would be longer than its rows.
    const damaged = Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(600, 0x7f), bytes.subarray(608)]);
    await expect(probe(await writtenFile('damaged.tiff', damaged))).rejects.toMatchObject({ code: 'damaged' });
    const cut = damaged.subarray(0, 600);
    await expect(probe(await writtenFile('cut.tiff', cut))).rejects.toBeInstanceOf(MediaError);
  });

  it.each(['png', 'webp', 'tiff'] as const)('a photo in %s at an address is upright', async (kind) => {
    await using server = await serveSamples();
    const facts = await probe(server.urlOf(await orientedImage(kind, 6)));
    expect(facts).toMatchObject({ ...drawn, reading: { orientation: 6 } });
    expect(contentHashOf('bytes', { ...facts, reading: facts.reading! })).toBe('bytes-image-o6');
  });
});
