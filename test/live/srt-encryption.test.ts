// Contributors who encrypt SRT: keys of each length and their refresh, passphrases, and hostile key material.
// The caller's cryptography is written here by the specification; ffmpeg's is in srt-encoders.test.ts.
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import { parseKeyMaterial, unwrapKeys } from '../../lambda/publisher/srt/key-material.ts';
import type { KeyBytes } from '../../lambda/publisher/srt/key-material.ts';
import { controlPacket, controlType } from '../../lambda/publisher/srt/packet.ts';
import { connectSrt } from '../../lambda/publisher/srt/srt-publisher.ts';
import { format } from './contributor.ts';
import {
  calling,
  firstSequence,
  loggedReasons,
  pictures,
  RawCaller,
  sequenceAt,
  testSrtListener,
  timesOf,
} from './srt-caller.ts';
import type { TestSrtListener } from './srt-caller.ts';
import { goodKey } from './test-listener.ts';

const passphrase = 'correct horse battery';
const keyBits = { even: 1, odd: 2 } as const;
type KeyName = keyof typeof keyBits;
const keyRequest = 3;
const keyResponse = 4;

/** The keys of one caller, wrapped by its passphrase (draft-sharabayko-srt-01, 3.2.2 and 6). */
class CallerKeys {
  readonly salt = randomBytes(16);
  readonly keys: Record<KeyName, Buffer>;
  readonly #keyBytes: KeyBytes;
  readonly #wrapping: Buffer;

  constructor(keyBytes: KeyBytes = 16, of = passphrase) {
    this.#keyBytes = keyBytes;
    this.keys = { even: randomBytes(keyBytes), odd: randomBytes(keyBytes) };
    this.#wrapping = pbkdf2Sync(of, this.salt.subarray(8), 2048, keyBytes, 'sha1');
  }

  material(...names: readonly KeyName[]): Buffer {
    const bits = names.reduce((sum, name) => sum + keyBits[name], 0);
    const header = Buffer.of(0x12, 0x20, 0x29, bits, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 4, this.#keyBytes / 4);
    const wrap = createCipheriv(`id-aes${8 * this.#keyBytes}-wrap`, this.#wrapping, Buffer.alloc(8, 0xa6));
    const wrapped = Buffer.concat([wrap.update(Buffer.concat(names.map((name) => this.keys[name]))), wrap.final()]);
    return Buffer.concat([header, this.salt, wrapped]);
  }

  encrypt(payload: Buffer, sequence: number, name: KeyName): Buffer {
    const counter = Buffer.concat([this.salt.subarray(0, 14), Buffer.alloc(2)]);
    counter.writeUInt32BE((counter.readUInt32BE(10) ^ sequence) >>> 0, 10);
    return createCipheriv(`aes-${8 * this.#keyBytes}-ctr`, this.keys[name], counter).update(payload);
  }

  /** Sends a piece of the media. */
  send(caller: RawCaller, index: number, piece: Buffer, name: KeyName): void {
    const sequence = sequenceAt(index);
    caller.data(sequence, this.encrypt(piece, sequence, name), keyBits[name]);
  }
}

async function withPassphrase(): Promise<TestSrtListener> {
  const tested = await testSrtListener();
  tested.door.passphrase = passphrase;
  return tested;
}

/** The answer to a caller from an address of its own. */
async function refusalOf({ listener }: TestSrtListener, keyMaterial: Buffer | null, address: string, key = goodKey) {
  const caller = await RawCaller.open(listener.port, address);
  return (await caller.call({ streamID: key, keyMaterial })).refusal;
}

const refresh = (caller: RawCaller, material: Buffer) =>
  caller.send(
    controlPacket(
      controlType.extension,
      { subtype: keyRequest, timestampUs: 0, destinationID: caller.destinationID },
      material,
    ),
  );
const taken = (caller: RawCaller) =>
  caller.ofType(controlType.extension).filter(({ subtype }) => subtype === keyResponse);

describe('a contributor who encrypts', () => {
  it.each([16, 24, 32] as const)('is understood with a key of %i bytes', async (keyBytes) => {
    const tested = await withPassphrase();
    const keys = new CallerKeys(keyBytes);
    const keyMaterial = keys.material('even');
    const { caller, contribution } = await calling(tested, { keyMaterial, keyBytes });
    expect(caller.answers.at(-1)!.keyAnswer).toEqual(keyMaterial);
    for (const [index, piece] of pictures(3).entries()) keys.send(caller, index, piece, 'even');
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect(timesOf(contribution)).toEqual([0, 40, 80]);
    expect(caller.bytesReceived - caller.reports.length * 44).toBeLessThanOrEqual(caller.bytesSent);
  });

  it('changes its keys, and reads on while packets of both are under way', async () => {
    const tested = await withPassphrase();
    const keys = new CallerKeys();
    const { caller, contribution } = await calling(tested, { keyMaterial: keys.material('even'), latencyMs: 4000 });
    const pieces = pictures(8);
    const send = (index: number, name: KeyName) => keys.send(caller, index, pieces[index]!, name);
    send(0, 'even');
    // Under a key that is not known yet, the packet counts as lost.
    send(2, 'odd');
    send(1, 'even');
    const material = keys.material('even', 'odd');
    for (let times = 0; times < 3; times++) refresh(caller, material);
    await expect.poll(() => taken(caller).map(({ payload }) => payload)).toEqual([material, material, material]);
    for (const [index, name] of [
      [3, 'odd'],
      [4, 'even'],
      [2, 'odd'],
      [5, 'odd'],
    ] as const)
      send(index, name);
    refresh(caller, keys.material('odd'));
    keys.keys.even = randomBytes(16);
    refresh(caller, keys.material('even', 'odd'));
    send(6, 'odd');
    send(7, 'even');
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect(timesOf(contribution)).toEqual(pieces.map((_, index) => 40 * index));
  });

  it('is understood when our own publisher is the contributor', async () => {
    const tested = await withPassphrase();
    const target = { url: `srt://127.0.0.1:${tested.listener.port}`, passphrase, latencyMs: 120, streamID: goodKey };
    const options = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
    const publisher = await connectSrt(target, options, new AbortController().signal);
    publisher.begin({ originMs: 0, sequenceHeaders: [], profile: profileOf(format) });
    const header = Buffer.from('17000000000142c01effe100086742c01eda0280f601000468ce3c80', 'hex');
    const keyframe = Buffer.from('17010000000000000465888888', 'hex');
    publisher.send([header, keyframe].map((payload) => ({ type: 'video', timestampMs: 0, payload }) as const));
    await publisher.close();
    await expect.poll(() => tested.door.contributions[0]?.ends).toBe(1);
    expect(tested.door.contributions[0]!.tags.map(({ body }) => body)).toEqual([header, keyframe]);
  });

  it('cannot mix in packets without encryption, of both keys, or of too many bytes', async () => {
    const tested = await withPassphrase();
    const keys = new CallerKeys();
    const { caller, contribution } = await calling(tested, { keyMaterial: keys.material('even') });
    const [first, second] = pictures(2) as [Buffer, Buffer];
    keys.send(caller, 0, first, 'even');
    caller.data(sequenceAt(1), second);
    caller.data(sequenceAt(1), keys.encrypt(second, sequenceAt(1), 'even'), 3);
    caller.data(sequenceAt(1), Buffer.alloc(2000), keyBits.even);
    caller.data(sequenceAt(1), Buffer.alloc(0), keyBits.odd);
    keys.send(caller, 1, second, 'even');
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect(timesOf(contribution)).toEqual([0, 40]);
  });
});

describe('a caller is refused', () => {
  it('with the reason of libsrt: a wrong passphrase, none, or one that the input does not have', async () => {
    const tested = await withPassphrase();
    expect(await refusalOf(tested, new CallerKeys(16, 'another passphrase').material('even'), '127.0.0.2')).toBe(1010);
    expect(await refusalOf(tested, null, '127.0.0.3')).toBe(1011);
    tested.door.passphrase = null;
    expect(await refusalOf(tested, new CallerKeys().material('even'), '127.0.0.4')).toBe(1011);
    expect(loggedReasons(tested)()).toEqual(['wrong_passphrase', 'unencrypted', 'encrypted']);
    expect(JSON.stringify(tested.events)).not.toMatch(new RegExp(`${goodKey}|${passphrase}`));
    expect(tested.door.contributions).toEqual([]);
  });

  it('for a wrong passphrase, in words for the user of our own publisher', async () => {
    const { port } = (await withPassphrase()).listener;
    const target = { url: `srt://127.0.0.1:${port}`, passphrase: 'another one', latencyMs: 120, streamID: goodKey };
    const options = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
    await expect(connectSrt(target, options, new AbortController().signal)).rejects.toMatchObject({
      code: 'passphrase_refused',
    });
  });

  it('after a wrong passphrase for longer each time, as after a wrong key', async () => {
    let nowMs = 0;
    const tested = await testSrtListener({}, { steadyClock: () => nowMs });
    tested.door.passphrase = passphrase;
    const wrong = new CallerKeys(16, 'another passphrase').material('even');
    const right = new CallerKeys().material('even');
    const answers = [];
    for (const [atMs, material] of [
      [0, wrong],
      [900, right],
      [1100, wrong],
      [2900, right],
      [3200, right],
    ] as const) {
      nowMs = atMs;
      answers.push(await refusalOf(tested, material, '127.0.0.1'));
    }
    expect(answers).toEqual([1010, 2403, 1010, 2403, null]);
    expect(tested.door.claims).toHaveLength(3);
  });

  it('by its key first, without a look at its passphrase', async () => {
    const tested = await withPassphrase();
    const wrong = new CallerKeys(16, 'another passphrase').material('even');
    expect(await refusalOf(tested, wrong, '127.0.0.2', 'wrong')).toBe(2403);
    expect(loggedReasons(tested)()).toEqual(['unknown_key']);
  });
});

describe('hostile key material', () => {
  const good = new CallerKeys(32).material('even', 'odd');
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(good);
    bytes[at] = value;
    return bytes;
  };
  const garbage: [string, Buffer][] = [
    ['no bytes', Buffer.alloc(0)],
    ['a code of libsrt for a failure', Buffer.of(0, 0, 0, 4)],
    ['a header alone', good.subarray(0, 16)],
    ['a wrapped key that is cut short', good.subarray(0, good.length - 4)],
    ['more keys than it names', changed(3, 1)],
    ['no key', changed(3, 0)],
    ['a short salt', changed(14, 1)],
    ['a long salt', changed(14, 0xff)],
    ['a short key', changed(15, 2)],
    ['a long key', changed(15, 0xff)],
    ['another cipher', changed(8, 3)],
    ['authentication', changed(9, 1)],
    ['another packet type', changed(0, 0x11)],
    ['noise', randomBytes(104)],
  ];

  it.each(garbage)('with %s is refused', async (_, keyMaterial) => {
    expect(await refusalOf(await withPassphrase(), keyMaterial, '127.0.0.1')).toBe(1017);
  });

  it('in a refresh has no answer, and the contribution continues', async () => {
    const tested = await withPassphrase();
    const keys = new CallerKeys(32);
    const wish = { keyMaterial: keys.material('even'), keyBytes: 32 } as const;
    const { caller, contribution } = await calling(tested, wish);
    // Another salt or length would need the passphrase again.
    const others = [new CallerKeys(32), new CallerKeys(16), new CallerKeys(32, 'another passphrase')];
    for (const material of [
      ...garbage.map(([, bytes]) => bytes),
      ...others.map((each) => each.material('even', 'odd')),
    ])
      refresh(caller, material);
    const forged = keys.material('even', 'odd');
    forged[40]! ^= 1;
    refresh(caller, forged);
    for (const [index, piece] of pictures(3).entries()) keys.send(caller, index, piece, 'even');
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect([timesOf(contribution), taken(caller)]).toEqual([[0, 40, 80], []]);
  });

  it('is ignored in a connection without encryption', async () => {
    const tested = await testSrtListener();
    const { caller, contribution } = await calling(tested);
    refresh(caller, good);
    const keys = new CallerKeys();
    keys.send(caller, 0, pictures(1)[0]!, 'even');
    caller.data(firstSequence, pictures(1)[0]!);
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect([timesOf(contribution), taken(caller)]).toEqual([[0], []]);
  });
});

it.each([
  [
    '000102030405060708090a0b0c0d0e0f',
    '00112233445566778899aabbccddeeff',
    '1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5',
  ],
  [
    '000102030405060708090a0b0c0d0e0f1011121314151617',
    '00112233445566778899aabbccddeeff0001020304050607',
    '031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2',
  ],
  [
    '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    '00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f',
    '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21',
  ],
])('a key is unwrapped as in RFC 3394 (4.1, 4.4 and 4.6): by %s', (wrapping, key, wrapped) => {
  const keyBytes = key.length / 2;
  const header = Buffer.of(0x12, 0x20, 0x29, 2, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 4, keyBytes / 4);
  const material = parseKeyMaterial(Buffer.concat([header, Buffer.alloc(16), Buffer.from(wrapped, 'hex')]))!;
  expect(unwrapKeys(material, Buffer.from(wrapping, 'hex'))).toEqual(new Map([['odd', Buffer.from(key, 'hex')]]));
  expect(unwrapKeys(material, Buffer.from(wrapping.replace('00', '01'), 'hex'))).toBeNull();
});
