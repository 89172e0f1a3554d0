// Sealed secrets: they open only in the place that they were sealed for, with keys that only their wrapper unwraps.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { createFileKeyWrapper, createKMSKeyWrapper } from '../../lambda/ports/sealer/key-wrapper.ts';
import type { KeyWrapper } from '../../lambda/ports/sealer/key-wrapper.ts';
import { openSealer } from '../../lambda/ports/sealer/open-sealer.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import type { KeyPurpose } from '../../lambda/domain/shared/sealed-places.ts';
import { testDatabase } from '../support/database.ts';

const keyOf = (id: number) => ({ id, key: randomBytes(32) });

describe('a sealer', () => {
  const sealer = createSealer([keyOf(1)]);

  test('opens what it sealed, in its place only', () => {
    const sealed = sealer.seal('a stream key', 'destination/1');
    expect(sealer.open(sealed, 'destination/1')).toBe('a stream key');
    expect(() => sealer.open(sealed, 'destination/2')).toThrow('unable to authenticate data');
    expect(sealed.includes('a stream key')).toBe(false);
  });

  test('seals the same text to other bytes each time', () => {
    expect(sealer.seal('x', 'p').equals(sealer.seal('x', 'p'))).toBe(false);
  });

  test('opens nothing of which a byte was altered', () => {
    const sealed = sealer.seal('a stream key', 'p');
    for (let index = 0; index < sealed.length; index++) {
      const altered = Buffer.from(sealed);
      altered[index]! ^= 1;
      expect(() => sealer.open(altered, 'p')).toThrow(/unable to authenticate data|a data key that is not here/);
    }
  });

  test('seals with the newest key, and opens what older keys have sealed', () => {
    const [first, second] = [keyOf(1), keyOf(2)];
    const before = createSealer([first]).seal('old', 'p');
    const both = createSealer([first, second]);
    expect(both.open(before, 'p')).toBe('old');
    expect(() => createSealer([first]).open(both.seal('new', 'p'), 'p')).toThrow('a data key that is not here');
  });
});

/** A stand-in for KMS: wraps small keys, and unwraps them only with the same key and context. */
async function startFakeKMS() {
  const inside = createFileKeyWrapper(randomBytes(32), 'data key');
  const server = createServer((request, response) => {
    void (async () => {
      const input = (await json(request)) as {
        KeyId: string;
        EncryptionContext: object;
        Plaintext?: string;
        CiphertextBlob?: string;
      };
      const label = Buffer.from(JSON.stringify([input.KeyId, input.EncryptionContext]));
      if (request.headers['x-amz-target'] === 'TrentService.Encrypt') {
        const wrapped = await inside.wrap(Buffer.from(input.Plaintext!, 'base64'));
        return response.end(JSON.stringify({ CiphertextBlob: Buffer.concat([wrapped, label]).toString('base64') }));
      }
      const blob = Buffer.from(input.CiphertextBlob!, 'base64');
      if (!blob.subarray(60).equals(label))
        return response.writeHead(400).end('{"__type":"InvalidCiphertextException"}');
      const unwrapped = await inside.unwrap(blob.subarray(0, 60));
      return response.end(JSON.stringify({ Plaintext: unwrapped.toString('base64') }));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => server.close());
  return {
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' },
  };
}

const kms = await startFakeKMS();
type MakeWrapper = (purpose: KeyPurpose) => KeyWrapper;
const wrappers: [string, MakeWrapper, MakeWrapper][] = [
  [
    'a key file',
    (purpose) => createFileKeyWrapper(Buffer.alloc(32, 1), purpose),
    (purpose) => createFileKeyWrapper(Buffer.alloc(32, 2), purpose),
  ],
  [
    'KMS',
    (purpose) => createKMSKeyWrapper('arn:aws:kms:us-east-1:1:key/a', purpose, kms),
    (purpose) => createKMSKeyWrapper('arn:aws:kms:us-east-1:1:key/b', purpose, kms),
  ],
];

describe.each(wrappers)('keys wrapped by %s', (_name, wrapper, another) => {
  const database = testDatabase();

  test('are made once, however many processes begin at the same time, and kept wrapped', async () => {
    const open = () => openSealer(database.pool(), wrapper('data key'));
    const sealers = await Promise.all(Array.from({ length: 5 }, open));
    const sealed = sealers[0]!.seal('a stream key', 'p');
    for (const sealer of [...sealers, await open()]) expect(sealer.open(sealed, 'p')).toBe('a stream key');
    const { rows } = await database.pool().query('select id, length(wrapped_key) > 32 as wrapped from data_keys');
    expect(rows).toEqual([{ id: 1, wrapped: true }]);
  });

  test('cannot be unwrapped with another key', async () => {
    await expect(openSealer(database.pool(), another('data key'))).rejects.toThrow(
      /unable to authenticate data|InvalidCiphertext/,
    );
  });

  test('are others for each purpose, and cannot be unwrapped for another one', async () => {
    const sealer = await openSealer(database.pool(), wrapper('data key'));
    for (const purpose of ['sources', 'live'] as const) {
      const other = await openSealer(database.pool(), wrapper(purpose));
      expect(other.open(other.seal('a password', 'p'), 'p')).toBe('a password');
      expect(() => other.open(sealer.seal('a stream key', 'p'), 'p')).toThrow('unable to authenticate data');
    }
    const { rows } = await database.pool().query<{ wrapped_key: Buffer }>('select wrapped_key from source_keys');
    await expect(wrapper('data key').unwrap(rows[0]!.wrapped_key)).rejects.toThrow(
      /unable to authenticate data|InvalidCiphertext/,
    );
  });
});
