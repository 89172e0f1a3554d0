// The simple RTMP handshake, for both sides (Adobe RTMP 1.0, section 5.2).
import { RtmpProtocolError } from './protocol-error.ts';

/** Length of the random part of C1 and S1. */
export const handshakeRandomBytes = 1528;

const rtmpVersion = 3;
const blockBytes = 1536;

/** One side of a handshake. Digests that some peers put into C1 and S1 are ignored, as the simple handshake allows. */
export class Handshake {
  /** To be sent at once; empty for the server. */
  readonly opening: Buffer;
  readonly #answer: (peerBlock: Buffer) => Buffer;
  #received: Buffer = Buffer.alloc(0);
  #answered = false;

  private constructor(opening: Buffer, answer: (peerBlock: Buffer) => Buffer) {
    this.opening = opening;
    this.#answer = answer;
  }

  static asClient(random: Buffer): Handshake {
    return new Handshake(versionAndBlock(random), (s1) => s1);
  }

  static asServer(random: Buffer): Handshake {
    return new Handshake(Buffer.alloc(0), (c1) => Buffer.concat([versionAndBlock(random), c1]));
  }

  /**
   * Takes the peer's next bytes. `reply` is to be sent; `rest` is null until the handshake is over, then what followed it.
   * @throws {RtmpProtocolError} when the peer does not speak RTMP version 3
   */
  receive(data: Buffer): { readonly reply: Buffer; readonly rest: Buffer | null } {
    this.#received = Buffer.concat([this.#received, data]);
    if (this.#received.length > 0 && this.#received[0] !== rtmpVersion) throw new RtmpProtocolError('peer does not speak RTMP');
    const reply = !this.#answered && this.#received.length > blockBytes ? this.#answer(this.#received.subarray(1, 1 + blockBytes)) : Buffer.alloc(0);
    this.#answered ||= reply.length > 0;
    const end = 1 + 2 * blockBytes;
    return { reply, rest: this.#received.length >= end ? this.#received.subarray(end) : null };
  }
}

/** C0 and C1, or S0 and S1: the version, then a block of time 0, four zero bytes and random bytes. */
function versionAndBlock(random: Buffer): Buffer {
  return Buffer.concat([Buffer.of(rtmpVersion), Buffer.alloc(8), random]);
}
