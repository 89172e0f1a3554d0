// Addresses of destinations, by their way out: the API and the publisher read each address identically.
import { describe, expect, it } from 'vitest';
import { hlsFileURL, splitHlsURL } from '../../../lambda/domain/destinations/ways/hls.ts';
import { isSamePlace, parsePublishURL } from '../../../lambda/domain/destinations/publish-url.ts';

describe('an address', () => {
  it.each([
    ['rtmp://example.com/live', { way: 'rtmp', secure: false, hostname: 'example.com', port: 1935 }],
    ['rtmps://example.com/live', { way: 'rtmp', secure: true, hostname: 'example.com', port: 443 }],
    ['srt://Example.com:9000', { way: 'srt', secure: false, hostname: 'example.com', port: 9000 }],
    ['srt://127.1:9000', { way: 'srt', secure: false, hostname: '127.0.0.1', port: 9000 }],
    ['srt://[::1]:9000', { way: 'srt', secure: false, hostname: '::1', port: 9000 }],
    ['https://example.com/live/', { way: 'hls', secure: true, hostname: 'example.com', port: 443 }],
    ['https://0x7f000001:8443/in?file=', { way: 'hls', secure: true, hostname: '127.0.0.1', port: 8443 }],
  ])('%s names its way, host and port', (text, parsed) => {
    expect(parsePublishURL(text)).toEqual(parsed);
  });

  it.each([
    'srt://example.com',
    'srt://example.com:0',
    'srt://example.com:70000',
    'srt://me:pass@example.com:9000',
    'srt://example.com:9000?streamid=a',
    'https://example.com/live',
    'https://example.com/live/#x',
    'https://me@example.com/live/',
    'http://example.com/live/',
    'udp://example.com:9000',
    '',
  ])('%s is none', (text) => {
    expect(parsePublishURL(text)).toBeNull();
  });

  it.each([
    ['srt://example.com:443', 'https://example.com/live/', false],
    ['https://EXAMPLE.com/live/', 'https://example.com:443/live//', true],
    ['https://example.com/a/{streamKey}/', 'https://example.com/b/{streamKey}/', false],
    ['https://example.com/{streamKey}/', 'https://example.com/', false],
    ['https://example.com/{streamKey}?to=a', 'https://example.com/{streamKey}?to=b', false],
    ['rtmp://example.com/a', 'rtmp://example.com:1935/a/', true],
    ['rtmp://example.com/a', 'rtmp://example.com/b', false],
    ['rtmp://example.com/a', 'rtmps://example.com/a', false],
    ['srt://example.com:9000', 'srt://EXAMPLE.com:9000', true],
  ])('%s and %s take a secret to the same place: %s', (one, other, isSame) => {
    expect(isSamePlace(one, other)).toBe(isSame);
  });
});

describe('the URL of a file', () => {
  const url = 'https://a.upload.youtube.com/http_upload_hls?cid={streamKey}&copy=0&file=';

  it('has the key in its place, and the name at its end', () => {
    expect(hlsFileURL(url, 'ab$&cd', 'one.ts')).toBe(url.replace('{streamKey}', () => 'ab%24%26cd') + 'one.ts');
    expect(hlsFileURL('https://example.com/live/', '', 'one.ts')).toBe('https://example.com/live/one.ts');
  });

  it('gives up its key where it is that of YouTube', () => {
    expect(splitHlsURL(url.replace('{streamKey}', 'abcd-efgh'))).toEqual({ url, streamKey: 'abcd-efgh' });
    expect(splitHlsURL(url.replace('{streamKey}', ''))).toEqual({ url, streamKey: null });
    expect(splitHlsURL(url)).toEqual({ url, streamKey: null });
    expect(splitHlsURL('https://example.com/live/')).toEqual({ url: 'https://example.com/live/', streamKey: null });
  });
});
