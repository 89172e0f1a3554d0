// An RTMP server in memory that is fast enough for months of a stream, and refuses all protocol errors.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Amf0Input } from '../../../lambda/publisher/rtmp/amf0.ts';
import { commandMessage, readCommand } from '../../../lambda/publisher/rtmp/command.ts';
import { ChunkWriter } from '../../../lambda/publisher/rtmp/chunk-writer.ts';
import { controlMessage, messageType } from '../../../lambda/publisher/rtmp/message.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';

/**
 * The number in a server's acknowledgements. `total`: all bytes so far, as 32 bits that wrap, as in the protocol.
 * `total until 2 GiB`: the total, but no acknowledgement once it exceeds 31 bits. `increment`: the bytes since the last
 * acknowledgement, as YouTube sends it.
 */
export type Acknowledging = 'total' | 'total until 2 GiB' | 'increment';

const nothing: Buffer = Buffer.alloc(0);
const handshakeBytes = 1 + 2 * 1536;
const acknowledgedEveryBytes = 256 * 1024;
const extendedTimestamp = 0xff_ff_ff;
const headerBytesByFormat = [11, 7, 3, 0] as const;

interface ChunkStream {
  readonly id: number;
  type: number;
  streamID: number;
  /** The time in 32 bits, as servers store it. */
  timestampMs: number;
  field: number;
  isExtended: boolean;
  messageBytes: number;
  bytesLeft: number;
}

/**
 * Called with each message of media.
 * @param bytes contain the payload from `start` on, only until the call returns
 */
export type OnMedia = (type: number, timestampMs: number, bytes: Buffer, start: number) => void;

/** Accepts one publisher. A write with a protocol error throws. */
export class StrictIngest {
  /** The client's end of the connection. The two ends never wait for each other. */
  readonly socket: Socket;
  bytesReceived = 0;
  readonly #onMedia: OnMedia;
  readonly #acknowledging: Acknowledging;
  readonly #answers = new ChunkWriter();
  readonly #client: MemorySocket;
  readonly #chunkStreams: (ChunkStream | undefined)[] = [];
  readonly #payload = Buffer.alloc(64 * 1024);
  #before = nothing;
  #isOpen = false;
  #chunkSize = 128;
  #current: ChunkStream | null = null;
  #chunkLeft = 0;
  #acknowledgedAt = 0;

  constructor(acknowledging: Acknowledging, onMedia: OnMedia) {
    this.#acknowledging = acknowledging;
    this.#onMedia = onMedia;
    this.#client = new MemorySocket((bytes) => this.#receive(bytes));
    this.socket = this.#client as unknown as Socket;
  }

  #receive(bytes: Buffer): void {
    this.bytesReceived += bytes.length;
    if (!this.#isOpen) return this.#shakeHands(bytes);
    const input = this.#before.length > 0 ? Buffer.concat([this.#before, bytes]) : bytes;
    const read = this.#read(input);
    this.#before = read === input.length ? nothing : Buffer.from(input.subarray(read));
    if (this.bytesReceived - this.#acknowledgedAt >= acknowledgedEveryBytes) this.#acknowledge();
  }

  #shakeHands(bytes: Buffer): void {
    this.#before = Buffer.concat([this.#before, bytes]);
    if (this.#before.length === 1 + 1536)
      this.#client.give(Buffer.concat([Buffer.of(3), Buffer.alloc(1536), this.#before.subarray(1)]));
    if (this.#before.length < handshakeBytes) return;
    const rest = this.#before.subarray(handshakeBytes);
    this.#before = nothing;
    this.#isOpen = true;
    this.#read(rest);
  }

  /** @returns the number of bytes read. The rest is an incomplete header. */
  #read(input: Buffer): number {
    let offset = 0;
    while (offset < input.length) {
      if (this.#chunkLeft === 0) {
        offset = this.#readMedia(input, offset);
        const headerBytes = this.#readHeader(input, offset);
        if (headerBytes === 0) return offset;
        offset += headerBytes;
      }
      const stream = this.#current!;
      const bytes = Math.min(this.#chunkLeft, input.length - offset);
      input.copy(this.#payload, stream.messageBytes - stream.bytesLeft, offset, offset + bytes);
      offset += bytes;
      this.#chunkLeft -= bytes;
      stream.bytesLeft -= bytes;
      if (stream.bytesLeft > 0) continue;
      if (isMedia(stream.type)) {
        this.#onMedia(stream.type, stream.timestampMs, this.#payload, 0);
      } else {
        const payload = Buffer.from(this.#payload.subarray(0, stream.messageBytes));
        this.#obey({ ...stream, chunkStreamID: stream.id, payload });
      }
    }
    return offset;
  }

  /**
   * Reads whole messages of media with a header of format 1, which nearly all have, without copying them.
   * @returns the end of the last message
   */
  #readMedia(input: Buffer, start: number): number {
    let offset = start;
    for (; offset + 8 <= input.length;) {
      const first = input[offset]!;
      const stream = this.#chunkStreams[first & 0x3f];
      const field = (input[offset + 1]! << 16) | (input[offset + 2]! << 8) | input[offset + 3]!;
      const messageBytes = (input[offset + 4]! << 16) | (input[offset + 5]! << 8) | input[offset + 6]!;
      const type = input[offset + 7]!;
      const end = offset + 8 + messageBytes;
      if (first >> 6 !== 1 || !stream || stream.bytesLeft > 0) break;
      if (field === extendedTimestamp || !isMedia(type)) break;
      if (messageBytes > this.#chunkSize || end > input.length) break;
      stream.isExtended = false;
      stream.timestampMs = (stream.timestampMs + field) >>> 0;
      this.#onMedia(type, stream.timestampMs, input, offset + 8);
      offset = end;
    }
    return offset;
  }

  /** @returns the size of the header in bytes, or 0 if a part of it is missing */
  #readHeader(input: Buffer, start: number): number {
    if (start === input.length) return 0;
    const first = input[start]!;
    const format = first >> 6;
    const id = first & 0x3f;
    if (id < 2) throw new Error('a chunk stream that nobody needs');
    const shortBytes = 1 + headerBytesByFormat[format]!;
    if (input.length - start < shortBytes) return 0;
    let stream = this.#chunkStreams[id];
    if (!stream && format !== 0) throw new Error('a chunk stream that does not begin with a full header');
    stream ??= this.#chunkStreams[id] = {
      id,
      type: 0,
      streamID: 0,
      timestampMs: 0,
      field: 0,
      isExtended: false,
      messageBytes: 0,
      bytesLeft: 0,
    };
    const isContinued = stream.bytesLeft > 0;
    if (isContinued !== (format === 3))
      throw new Error(`a chunk of format ${format} ${isContinued ? 'within' : 'between'} messages`);
    const short = isContinued ? 0 : (input[start + 1]! << 16) | (input[start + 2]! << 8) | input[start + 3]!;
    const isExtended = isContinued ? stream.isExtended : short === extendedTimestamp;
    const headerBytes = shortBytes + (isExtended ? 4 : 0);
    if (input.length - start < headerBytes) return 0;
    const field = isExtended ? input.readUInt32BE(start + shortBytes) : short;
    if (isContinued && isExtended && field !== stream.field)
      throw new Error('another extended timestamp within a message');
    if (!isContinued) {
      stream.isExtended = isExtended;
      stream.field = field;
      stream.timestampMs = format === 0 ? field : (stream.timestampMs + field) >>> 0;
      if (format <= 1) {
        stream.messageBytes = (input[start + 4]! << 16) | (input[start + 5]! << 8) | input[start + 6]!;
        stream.type = input[start + 7]!;
      }
      if (format === 0) stream.streamID = input.readUInt32LE(start + 8);
      stream.bytesLeft = stream.messageBytes;
    }
    this.#current = stream;
    this.#chunkLeft = Math.min(this.#chunkSize, stream.bytesLeft);
    return headerBytes;
  }

  #obey(message: RtmpMessage): void {
    if (message.type === messageType.setChunkSize) this.#chunkSize = message.payload.readUInt32BE();
    const command = readCommand(message);
    if (command?.name === 'connect')
      this.#answer('_result', command.transactionID, {}, { level: 'status', code: 'NetConnection.Connect.Success' });
    if (command?.name === 'createStream') this.#answer('_result', command.transactionID, null, 1);
    if (command?.name === 'publish')
      this.#answer('onStatus', 0, null, { level: 'status', code: 'NetStream.Publish.Start' });
  }

  #answer(name: string, transactionID: number, ...values: Amf0Input[]): void {
    this.#client.give(this.#answers.write([commandMessage(0, name, transactionID, ...values)]));
  }

  #acknowledge(): void {
    const number = this.#acknowledging === 'increment' ? this.bytesReceived - this.#acknowledgedAt : this.bytesReceived;
    this.#acknowledgedAt = this.bytesReceived;
    if (this.#acknowledging === 'total until 2 GiB' && number >= 2 ** 31) return;
    this.#client.give(this.#answers.write([controlMessage(messageType.acknowledgement, number % 2 ** 32)]));
  }
}

/** The parts of a socket that the client uses. All written data arrives at once. */
class MemorySocket extends EventEmitter {
  readonly writableLength = 0;
  writable = true;
  readonly #receive: (bytes: Buffer) => void;

  constructor(receive: (bytes: Buffer) => void) {
    super();
    this.#receive = receive;
  }

  write(bytes: Buffer): void {
    this.#receive(bytes);
  }

  /** Delivers bytes from the server. They arrive a moment later, as from a network. */
  give(bytes: Buffer): void {
    queueMicrotask(() => this.emit('data', bytes));
  }

  cork(): void {}

  uncork(): void {}

  end(): void {
    this.destroy();
  }

  destroy(): void {
    if (!this.writable) return;
    this.writable = false;
    queueMicrotask(() => this.emit('close'));
  }
}

function isMedia(type: number): boolean {
  return type === messageType.video || type === messageType.audio;
}
