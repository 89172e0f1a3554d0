// RTMP URLs: tokens pass unchanged, defaults are the platforms'.
import { expect, test } from 'vitest';
import { parseRtmpURL } from '../../lambda/domain/rtmp-url.ts';

test.for([
  ['rtmp://a.rtmp.youtube.com/live2', { secure: false, hostname: 'a.rtmp.youtube.com', port: 1935, app: 'live2', tcUrl: 'rtmp://a.rtmp.youtube.com/live2' }],
  ['rtmps://live-api-s.facebook.com:443/rtmp/', { secure: true, port: 443, app: 'rtmp', tcUrl: 'rtmps://live-api-s.facebook.com:443/rtmp' }],
  ['rtmps://ingest.example/app', { port: 443 }],
  ['RTMP://EXAMPLE.com:19350/app/room/7', { secure: false, hostname: 'example.com', port: 19_350, app: 'app/room/7' }],
  ['rtmp://host.example/app?token=a%2Fb&sig=x=/', { app: 'app?token=a%2Fb&sig=x=' }],
  ['rtmp://[2001:db8::1]:1936/live', { hostname: '2001:db8::1', port: 1936 }],
  ['rtmp://bücher.example/live', { hostname: 'xn--bcher-kva.example' }],
] as const)('%s', ([text, expected]) => {
  expect(parseRtmpURL(text)).toMatchObject(expected);
});

test.for([
  '', 'http://host/app', 'rtmp://host', 'rtmp://host/', 'rtmp:///app', 'rtmp://host:0/app', 'rtmp://host:70000/app', 'rtmp://user:secret@host/app', 'rtmp://ho st/app',
])('%j is no RTMP URL', (text) => {
  expect(parseRtmpURL(text)).toBeNull();
});
