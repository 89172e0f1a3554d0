// Titles from the tags of files, whatever the tags contain.
import { describe, expect, it } from 'vitest';
import { shownTitle } from '../../../lambda/domain/playout/titles.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import { everyMediaTools, madeSample, mediaSample, writtenFile } from '../../support/media-samples.ts';

const builds = await everyMediaTools();
const never = new AbortController().signal;
const unclaimed = { mimeType: null, type: null, fileSize: null };
const titles = { title: 'Night Drive', artist: '日本 Band', album: 'Ünder' };

describe.each(builds)('with the $name build', ({ tools }) => {
  const tagsOf = async (path: string) => (await probeMedia(tools, path, unclaimed, never)).tags;

  it.each([
    ['tagged.mp3', { ...titles, artworkStream: 1 }],
    ['tagged.ogg', titles],
    ['tagged.flac', titles],
    ['tagged.mp4', titles],
    ['cover.mp3', { artworkStream: 1 }],
    ['plain.mp4', {}],
    ['still.png', {}],
  ] as const)('those of %s', async (name, expected) => {
    expect(await tagsOf(await mediaSample(name))).toEqual(expected);
  });

  it('a title longer than anything else that is read of a file refuses nobody, and is not told', async () => {
    const file = await titledBeyondMeasure();
    expect(await probeMedia(tools, file, unclaimed, never)).toMatchObject({ kind: 'audio', tags: {} });
  });
});

/** A song with a title of two megabytes. */
async function titledBeyondMeasure(): Promise<string> {
  const path = await writtenFile('long-title.txt', `;FFMETADATA1\ntitle=${'A'.repeat(2_000_000)}\n`);
  const recipe = ['-f', 'lavfi', '-i', 'sine=d=1', '-f', 'ffmetadata', '-i', path, '-map_metadata', '1'];
  return madeSample('long-title.mp3', recipe);
}

describe('what is shown of a title', () => {
  it.each([
    ['  two  \r\n lines\u0000 ', 'two lines'],
    ['\u202etxet desrever', 'txet desrever'],
    ['half \ud800 a pair', 'half \ufffd a pair'],
    ['e\u0301', 'é'],
    ['\u0007', null],
    ['', null],
  ])('of %j it is %j', (text, shown) => expect(shownTitle(text)).toBe(shown));

  it('ends after 200 characters, none of which is cut', () => {
    expect(shownTitle('🎬'.repeat(300))).toBe('🎬'.repeat(200));
  });
});
