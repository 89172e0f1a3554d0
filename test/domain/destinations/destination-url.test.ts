// Destination URLs: the allowed ones, and the publisher's identical reading of every accepted one.
import { isIP } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOfDestination, isDestinationAllowed } from '../../../lambda/domain/destinations/destination-url.ts';
import { isAddressAllowed } from '../../../lambda/domain/shared/network-address.ts';
import { parseRtmpURL } from '../../../lambda/domain/destinations/ways/rtmp.ts';

const inAWS = { allowPrivateAddresses: false };
const onOneMachine = { allowPrivateAddresses: true };

test.for([
  'rtmp://a.rtmp.youtube.com/live2',
  'rtmps://live-api-s.facebook.com:443/rtmp/',
  'RTMPS://Example.COM/app',
  'rtmp://8.8.8.8/app',
  'rtmp://example.com:19350/app/room/7',
  'rtmp://example.com/app?token=a%2Fb&sig=x=',
  'rtmp://exa_mple.com/app',
  'rtmp://bücher.example/live',
  'rtmp://[2606:4700:4700::1111]:1936/live',
  'rtmp://example.com./app',
  'rtmp://localhost.example.com/app',
  'rtmp://internal/app',
])('%s may be used', (url) => {
  expect(isDestinationAllowed(url, inAWS)).toBe(true);
});

test.for([
  [
    'another scheme',
    '',
    'example.com/app',
    'http://example.com/app',
    'rtmpt://example.com/app',
    'rtmp:/example.com/app',
    'rtmp:example.com/app',
  ],
  ['no host', 'rtmp:///app', 'rtmp://:1935/app', 'rtmp://./app'],
  [
    'no application',
    'rtmp://example.com',
    'rtmp://example.com/',
    'rtmp://example.com//',
    'rtmp://example.com/?key',
    'rtmp://example.com?app',
  ],
  ['a user name', 'rtmp://user:secret@example.com/app', 'rtmp://user@example.com/app', 'rtmp://@example.com/app'],
  ['a fragment', 'rtmp://example.com/app#part', 'rtmp://example.com/app#'],
  [
    'a port that is none',
    'rtmp://example.com:0/app',
    'rtmp://example.com:/app',
    'rtmp://example.com:70000/app',
    'rtmp://example.com:x/app',
  ],
  [
    'white space',
    ' rtmp://example.com/app',
    'rtmp://example.com/app\n',
    'rtmp://exam ple.com/app',
    'rtmp://example.com/a\tpp',
    'rtmp://example\n.com/app',
  ],
  [
    'a backslash',
    'rtmp:\\\\example.com\\app',
    'rtmp://localhost\\@example.com/app',
    'rtmp://localhost\\.example.com/app',
  ],
  [
    'numbers that are no address',
    'rtmp://1.2.3.4.5/app',
    'rtmp://256.1.1.1/app',
    'rtmp://[::1::]/app',
    'rtmp://[fe80::1%25eth0]/app',
  ],
])('%s: malformed everywhere', ([, ...urls]) => {
  const faults = urls.map((url) => [url, faultOfDestination(url, inAWS), faultOfDestination(url, onOneMachine)]);
  expect(faults).toEqual(urls.map((url) => [url, 'malformed', 'malformed']));
});

test.for([
  [
    'private and loopback addresses',
    '10.0.0.8',
    '192.168.0.1',
    '127.0.0.1',
    '[::1]',
    '[fd12:3456::1]',
    '[64:ff9b::10.0.0.1]',
  ],
  ['IPv4-mapped', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:192.168.0.1]'],
  ['one decimal number', '2130706433', '167772161'],
  ['octal', '0177.0.0.1', '017700000001', '012.0.0.1'],
  ['hexadecimal', '0x7f.0.0.1', '0x7f000001', '0X7F.1'],
  ['short forms', '127.1', '10.1', '192.168.1'],
  ['a dot at the end', '127.0.0.1.', '10.0.0.8.'],
  ['percent-encoded', '%31%32%37.0.0.1', '%6c%6f%63%61%6chost'],
  ['other digits and letters', '１２７.0.0.1', '①27.0.0.1', 'ⓛocalhost'],
  [
    'names of this machine and of our networks',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'db.internal',
    'db.internal.',
    'printer.local',
  ],
])('%s: only where private addresses are allowed', ([, ...hosts]) => {
  const faults = hosts.map((host) => [
    host,
    faultOfDestination(`rtmp://${host}/app`, inAWS),
    faultOfDestination(`rtmps://${host}:1936/app`, onOneMachine),
  ]);
  expect(faults).toEqual(hosts.map((host) => [host, 'forbidden', null]));
});

test.for([
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '0.0.0.0',
  '0',
  '[::]',
  '224.0.0.1',
])('%s: forbidden everywhere', (host) => {
  expect(faultOfDestination(`rtmp://${host}/app`, inAWS)).toBe('forbidden');
  expect(faultOfDestination(`rtmp://${host}/app`, onOneMachine)).toBe('forbidden');
});

describe('an accepted URL', () => {
  const plain = fc.constantFrom('a', 'live', '7', '.', '-');
  const part = (...odd: string[]) =>
    fc
      .array(fc.oneof({ weight: 6, arbitrary: plain }, fc.constantFrom(...odd)), { maxLength: 8 })
      .map((texts) => texts.join(''));
  const authority = part(
    '127.1',
    '0x7f',
    ':',
    ':80',
    ':0',
    '%',
    '%2f',
    '%00',
    '@',
    '[',
    ']',
    '[::1]',
    '\\',
    ' ',
    '_',
    'é',
    '\u3002',
    '\u00ad',
  );
  const application = part('/', '?', '#', '%', '&=', '@', ':', ' ', '\t', '\\', '\u0000', '..', 'é');
  const anyURL = fc.tuple(
    fc.constantFrom('rtmp://', 'rtmps://', 'RTMP://', 'rtmp:/'),
    authority,
    fc.constantFrom('/', '//', '', '/a'),
    application,
  );

  test('names a host that is no forbidden address, as the publisher takes the URL apart', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyURL, (parts) => {
        const url = parts.join('');
        if (!isDestinationAllowed(url, inAWS)) return;
        accepted++;
        const { hostname } = parseRtmpURL(url)!;
        expect({ url, hostname }).toSatisfy(() => isIP(hostname) === 0 || isAddressAllowed(hostname, inAWS));
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test('in AWS is accepted wherever more is allowed', () => {
    fc.assert(
      fc.property(anyURL, (parts) => {
        const url = parts.join('');
        expect([false, null]).toContain(isDestinationAllowed(url, inAWS) && faultOfDestination(url, onOneMachine));
      }),
    );
  });
});
