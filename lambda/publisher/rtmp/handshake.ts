// The RTMP handshake of both sides (Adobe RTMP 1.0, section 5.2): a client offers the complex one, a server the simple.
import { answerToDigest, clientMaker, findDigest, imprintDigest, serverMaker } from './handshake-digest.ts';
import { RtmpProtocolError } from './protocol-error.ts';

/** Length of the random part of C1 and S1. */
export const handshakeRandomBytes = 1528;

const rtmpVersion = 3;
const blockBytes = 1536;
/** The version that ffmpeg gives. Servers look for no digest if it is zero, as in the simple handshake. */
const flashPlayerVersion = Buffer.of(9, 0, 124, 2);
const answerRandomBytes = 1504;

/**
 * One side of a handshake. A client puts a digest into C1, which servers that know only the simple handshake take for
 * random bytes, and it answers the digest in S1 if there is one. A server ignores digests.
 */
export class Handshake {
  /** Bytes to send at once; empty for the server. */
  readonly opening: Buffer;
  readonly #answer: (peerBlock: Buffer) => Buffer;
  #received: Buffer = Buffer.alloc(0);
  #answered = false;

  private constructor(opening: Buffer, answer: (peerBlock: Buffer) => Buffer) {
    this.opening = opening;
    this.#answer = answer;
  }

  static asClient(random: Buffer): Handshake {
    const opening = versionAndBlock(random);
    const c1 = opening.subarray(1);
    flashPlayerVersion.copy(c1, 4);
    imprintDigest(c1, clientMaker);
    return new Handshake(opening, (s1) => {
      const digest = findDigest(s1, serverMaker);
      return digest === null ? s1 : answerToDigest(digest, random.subarray(0, answerRandomBytes), clientMaker);
    });
  }

  static asServer(random: Buffer): Handshake {
    return new Handshake(Buffer.alloc(0), (c1) => Buffer.concat([versionAndBlock(random), c1]));
  }

  /**
   * Takes the peer's next bytes.
   * @returns `reply`, to be sent at once; `rest`, null until the handshake is over, then the bytes that followed it
   * @throws {RtmpProtocolError} when the peer does not speak RTMP version 3
   */
  receive(data: Buffer): { readonly reply: Buffer; readonly rest: Buffer | null } {
    this.#received = Buffer.concat([this.#received, data]);
    if (this.#received.length > 0 && this.#received[0] !== rtmpVersion)
      throw new RtmpProtocolError('peer does not speak RTMP');
    const mayAnswer = !this.#answered && this.#received.length > blockBytes;
    const reply = mayAnswer ? this.#answer(this.#received.subarray(1, 1 + blockBytes)) : Buffer.alloc(0);
    this.#answered ||= mayAnswer;
    const end = 1 + 2 * blockBytes;
    return { reply, rest: this.#received.length >= end ? this.#received.subarray(end) : null };
  }
}

/** C0 and C1, or S0 and S1: the version, then a block of a time of 0, four zero bytes and random bytes. */
function versionAndBlock(random: Buffer): Buffer {
  return Buffer.concat([Buffer.of(rtmpVersion), Buffer.alloc(8), random]);
}
