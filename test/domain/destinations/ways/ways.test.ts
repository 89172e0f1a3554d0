// The registry of ways out: each scheme belongs to one way, and each way follows the rules of the registry.
import { describe, expect, it } from 'vitest';
import { adviceOnPublishURL, splitPublishURL } from '../../../../lambda/domain/destinations/publish-url.ts';
import { wayNameOf, wayNames, ways } from '../../../../lambda/domain/destinations/ways/ways.ts';

describe('the ways out', () => {
  it('have no scheme in common', () => {
    const schemes = wayNames.flatMap((name) => ways[name].schemes);
    expect(schemes).toEqual([...new Set(schemes)]);
  });

  it.each(wayNames)('%s finds its own schemes, in any case, and refuses a text that is no address', (name) => {
    for (const scheme of ways[name].schemes)
      expect([wayNameOf(`${scheme}://a`), wayNameOf(`${scheme.toUpperCase()}://a`)]).toEqual([name, name]);
    expect(ways[name].parse('')).toBeNull();
    expect(ways[name].placeOf({ url: '', streamKey: '', srtStreamID: null })).toBeNull();
  });

  it('are all named in the advice on another scheme', () => {
    expect(adviceOnPublishURL('ftp://a')).toBe('It must begin with rtmp://, rtmps://, srt:// or https://.');
  });

  it('take a key only out of addresses of their own: a parameter cid of RTMP stays', () => {
    const url = 'rtmp://example.com/app?cid=token';
    expect(splitPublishURL(url)).toEqual({ url, streamKey: null });
  });
});
