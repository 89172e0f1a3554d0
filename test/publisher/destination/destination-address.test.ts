// Destination addresses: the public internet is allowed, our own networks are not.
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { allowedLookup, assertAddressAllowed } from '../../../lambda/publisher/destination/destination-address.ts';

function addressOf(name: string, allowPrivateAddresses: boolean): Promise<unknown> {
  return promisify(allowedLookup({ allowPrivateAddresses }))(name, {});
}

const forbidden = expect.objectContaining({ code: 'address_forbidden' });

test.for(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2607:f8b0:4004:c07::5b', '::ffff:8.8.8.8'])(
  '%s is open to all',
  (address) => {
    expect(() => assertAddressAllowed(address, { allowPrivateAddresses: false })).not.toThrow();
  },
);

test.for([
  '127.0.0.1',
  '127.9.9.9',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::1',
  'fc00::1',
  'fd12:3456::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.1.2.3',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '::7f00:1',
])('%s is for local runs only', (address) => {
  expect(() => assertAddressAllowed(address, { allowPrivateAddresses: false })).toThrow(forbidden);
  expect(() => assertAddressAllowed(address, { allowPrivateAddresses: true })).not.toThrow();
});

test.for([
  '169.254.169.254',
  '169.254.170.2',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  'fe80::1',
  'fd00:ec2::254',
  '0.0.0.0',
  '::',
  '224.0.0.1',
  'ff02::1',
])('%s is never a destination', (address) => {
  expect(() => assertAddressAllowed(address, { allowPrivateAddresses: false })).toThrow(forbidden);
  expect(() => assertAddressAllowed(address, { allowPrivateAddresses: true })).toThrow(forbidden);
});

describe('a name', () => {
  test('that points to this machine is refused', async () => {
    await expect(addressOf('localhost', false)).rejects.toThrow(forbidden);
  });

  test('gives its IPv4 address where private ones are allowed', async () => {
    expect(await addressOf('localhost', true)).toBe('127.0.0.1');
  });
});
