// RTMP URLs: tokens in them stay unchanged, and default ports are those of the platforms.
import { expect, test } from 'vitest';
import { parseRtmpURL, rtmpURLFrom } from '../../../../lambda/domain/destinations/ways/rtmp.ts';

test.for([
  [
    'rtmp://a.rtmp.youtube.com/live2',
    {
      secure: false,
      hostname: 'a.rtmp.youtube.com',
      port: 1935,
      app: 'live2',
      tcUrl: 'rtmp://a.rtmp.youtube.com/live2',
    },
  ],
  [
    'rtmps://live-api-s.facebook.com:443/rtmp/',
    { secure: true, port: 443, app: 'rtmp', tcUrl: 'rtmps://live-api-s.facebook.com:443/rtmp' },
  ],
  ['rtmps://ingest.example/app', { port: 443 }],
  ['RTMP://EXAMPLE.com:19350/app/room/7', { secure: false, hostname: 'example.com', port: 19_350, app: 'app/room/7' }],
  ['rtmp://host.example/app?token=a%2Fb&sig=x=/', { app: 'app?token=a%2Fb&sig=x=' }],
  ['rtmp://[2001:db8::1]:1936/live', { hostname: '2001:db8::1', port: 1936 }],
  ['rtmp://bücher.example/live', { hostname: 'xn--bcher-kva.example' }],
] as const)('%s is taken apart', ([text, expected]) => {
  expect(parseRtmpURL(text)).toMatchObject(expected);
});

test.for([
  '',
  'http://host/app',
  'rtmp://host',
  'rtmp://host/',
  'rtmp:///app',
  'rtmp://host:0/app',
  'rtmp://host:70000/app',
  'rtmp://user:secret@host/app',
  'rtmp://ho st/app',
])('%j is no RTMP URL', (text) => {
  expect(parseRtmpURL(text)).toBeNull();
});

test.for([
  ['rtmp://a.example/live', 'rtmp://b.example:1936/app?t=a%2Fb', 'rtmp://b.example:1936/app?t=a%2Fb'],
  ['rtmp://a.example/live', 'rtmps://b.example/app', 'rtmps://b.example/app'],
  ['rtmps://a.example/live', '//192.0.2.0/app', 'rtmps://192.0.2.0/app'],
  ['rtmps://a.example:444/live/x?y', '/app', 'rtmps://a.example:444/app'],
  ['RTMPS://a.example/live', 'RTMPS://b.example/app', 'RTMPS://b.example/app'],
] as const)('a server at %s that redirects to %s means %s', ([from, reference, expected]) => {
  expect(rtmpURLFrom(from, reference)).toBe(expected);
});

test.for([
  ['rtmps://a.example/live', 'rtmp://a.example/live'],
  ['RTMPS://a.example/live', 'rtmp://b.example/live'],
  ['rtmp://a.example/live', 'http://b.example/live'],
  ['rtmp://a.example/live', 'live2'],
  ['rtmp://a.example/live', '//b.example'],
  ['rtmp://a.example/live', 'rtmp://user:secret@b.example/live'],
] as const)('a server at %s cannot redirect to %s', ([from, reference]) => {
  expect(rtmpURLFrom(from, reference)).toBeNull();
});

test('a server cannot redirect to an address that is longer than a destination may be', () => {
  expect(rtmpURLFrom('rtmp://a.example/live', `rtmp://b.example/${'a'.repeat(2000)}`)).not.toBeNull();
  expect(rtmpURLFrom('rtmp://a.example/live', `rtmp://b.example/${'a'.repeat(2040)}`)).toBeNull();
});
