// Framing of pictures of other shapes for a stream: a page of them, by the filters of all backends.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aspects, ofAspect } from '../../../lambda/domain/playout/look.ts';
import type { FramingName } from '../../../lambda/domain/playout/look.ts';
import { frameArguments, videoArguments } from '../../../lambda/publisher/ffmpeg/item-arguments.ts';
import { onlyLayer } from '../../../lambda/publisher/ffmpeg/layered-pictures.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { asJpeg, captureImage } from '../../../lambda/publisher/inspecting/capture-image.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { everyMediaTools, fastEncoder, mediaSample, serveSamples, uprightSample } from '../../support/media-samples.ts';
import { pageOf, similarities } from '../../support/picture-page.ts';

const builds = await everyMediaTools();
const { signal } = new AbortController();
/** Sources, one row each: widescreen, an upright still, an upright phone film, non-square pixels, HDR. */
const sources = [
  { name: 'silent-24.mov', kind: 'video' },
  { name: 'still.jpg', kind: 'image' },
  { name: 'upright', kind: 'video' },
  { name: 'anamorphic.mp4', kind: 'video' },
  { name: 'hdr.mkv', kind: 'video', dynamicRange: 'pq' },
] as const;
const framings: (FramingName | undefined)[] = [undefined, 'pad1060a0', 'crop', 'blur'];
const shape = { columns: aspects.length * framings.length, rows: sources.length, tilePixels: 128 };
const keptPage = join(import.meta.dirname, 'framing-page.jpg');

const formatOf = (aspect: (typeof aspects)[number]) =>
  ({ quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264', ...ofAspect(aspect) }) as const;

/** The page: a row for each source, with all framings for each aspect. */
async function makePage(tools: MediaTools): Promise<Buffer> {
  await using server = await serveSamples();
  const pictures: Buffer[] = [];
  for (const { name, kind, ...source } of sources) {
    const sourceURL = server.urlOf(name === 'upright' ? await uprightSample() : await mediaSample(name));
    for (const aspect of aspects) {
      for (const framing of framings) {
        const profile = profileOf(formatOf(aspect));
        const item = { sourceURL, kind, ...source, framing, startFrame: 3, profile };
        const { input, filters } = frameArguments(item);
        const toJpeg = `scale=iw/4:-2:flags=area:in_color_matrix=bt709:${asJpeg}`;
        const request = { tools, sourceURL, signal, background: false, input, filters: [...filters, toJpeg] };
        pictures.push((await captureImage(request))!);
      }
    }
  }
  return pageOf(tools, pictures, shape);
}

describe.each(builds)('with the $name build', ({ name, tools }) => {
  it('sixty frames look as those that were looked at', async () => {
    const page = await makePage(tools);
    // KEEP_PAGES=1 keeps the page of this machine's build. Look at it before you commit it.
    if (process.env['KEEP_PAGES'] && name === 'found') await writeFile(keptPage, page);
    const found = await similarities(tools, page, keptPage, shape);
    expect(found).toHaveLength(shape.columns * shape.rows);
    expect(
      found.flatMap((similarity, index) => (similarity < 0.85 ? [`picture ${index}: ${similarity}`] : [])),
    ).toEqual([]);
  });
});

it('pictures without a framing are filtered as they always were, so that what is prepared stays good', () => {
  const layers = [onlyLayer({ sourceURL: 'clip.mp4', kind: 'video' })];
  const item = { layers, startFrame: 0, frameCount: 30, encoder: fastEncoder } as const;
  const request = videoArguments({ ...item, profile: profileOf(formatOf('16:9')) });
  expect(request[request.indexOf('-vf') + 1]).toBe(
    'bwdif=mode=send_frame:deint=interlaced,fps=30:eof_action=pass,tpad=stop_mode=clone:stop=-1,fps=30:start_time=0,' +
      "scale=w='max(2,trunc(min(1280,720*dar)/2+0.5)*2)':h='max(2,trunc(min(720,1280/dar)/2+0.5)*2)':" +
      'out_color_matrix=bt709:out_range=tv,format=yuv420p,setsar=1,pad=1280:720:(ow-iw)/2:(oh-ih)/2,' +
      'setparams=field_mode=prog:range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709',
  );
});
