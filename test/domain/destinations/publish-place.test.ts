// Two spellings of one place count as one place, and two places as two.
import { describe, expect, it } from 'vitest';
import { placeOf } from '../../../lambda/domain/destinations/publish-url.ts';

const place = (url: string, streamKey = '', srtStreamID: string | null = null) =>
  placeOf({ url, streamKey, srtStreamID });

const same: readonly (readonly [string, string | null, string | null])[] = [
  ['the case of a host', place('rtmp://LIVE.Example.com/app', 'k'), place('rtmp://live.example.com/app', 'k')],
  ['the dot at its end', place('rtmp://example.com./app', 'k'), place('rtmp://example.com/app', 'k')],
  ['a usual port', place('rtmp://example.com:1935/app', 'k'), place('rtmp://example.com/app', 'k')],
  ['TLS on its usual port', place('rtmps://example.com/app', 'k'), place('rtmp://example.com/app', 'k')],
  ['slashes at the end', place('rtmp://example.com/app//', 'k'), place('rtmp://example.com/app', 'k')],
  ['a part of the key in the path', place('rtmp://example.com/app/a', 'b'), place('rtmp://example.com/app', 'a/b')],
  ['a query with the key', place('rtmp://example.com/app', 'k?t=1'), place('rtmp://example.com/app?t=1', 'k')],
  ['another form of an address', place('rtmp://127.1/app', 'k'), place('rtmp://127.0.0.1/app', 'k')],
  ['a host of SRT', place('srt://EXAMPLE.com:9000/', '', 'a'), place('srt://example.com:9000', '', 'a')],
  ['a port of HLS', place('https://Example.com:443/in/'), place('https://example.com//in/')],
  ['a key of HLS', place('https://example.com/{streamKey}/', 'k'), place('https://example.com/k/')],
];
const apart: readonly (readonly [string, string | null, string | null])[] = [
  ['keys', place('rtmp://example.com/app', 'k'), place('rtmp://example.com/app', 'K')],
  ['applications', place('rtmp://example.com/app', 'k'), place('rtmp://example.com/App', 'k')],
  ['ports', place('rtmp://example.com:1936/app', 'k'), place('rtmp://example.com/app', 'k')],
  ['tokens', place('rtmp://example.com/app', 'k?t=1'), place('rtmp://example.com/app', 'k?t=2')],
  ['ids of SRT', place('srt://example.com:9000', '', 'a'), place('srt://example.com:9000', '', 'b')],
  ['ways out', place('https://example.com/app/'), place('rtmp://example.com/app', '')],
  ['copies', place('https://example.com/in?copy=0&file='), place('https://example.com/in?copy=1&file=')],
];

describe('a place', () => {
  it.each(same)('is the same whatever %s', (_, one, other) => {
    expect(one).not.toBeNull();
    expect(one).toBe(other);
  });

  it.each(apart)('differs by %s', (_, one, other) => expect(one).not.toBe(other));

  it('is none of what nobody can publish to', () => {
    expect([place(''), place('https://[/'), place('ftp://example.com/')]).toEqual([null, null, null]);
  });
});
