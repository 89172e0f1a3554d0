// What the other side of a connection may send us before the connection ends.
import { RtmpProtocolError } from './protocol-error.ts';

export interface InboundLimits {
  readonly maxMessageBytes: number;
  /** Of all messages whose last chunk has not come yet. */
  readonly maxIncompleteBytes: number;
  readonly maxChunkStreams: number;
  /** Null for a peer whose media we want, which comes as fast as it comes. */
  readonly rates: InboundRates | null;
}

export interface InboundRates {
  readonly bytesPerSecond: number;
  readonly messagesPerSecond: number;
  /** Reads of the socket: over TLS, each byte may come in a record, and so in a read of its own. */
  readonly readsPerSecond: number;
  /** So many seconds' worth may come at once, as after a pause of the network. */
  readonly burstSeconds: number;
  /** For each so many bytes that we send, one more message and read may come: some acknowledge each read of theirs. */
  readonly sentBytesPerMessage: number;
}

/** From a publisher: a keyframe is smaller than this at any bitrate that we know; nginx-rtmp has the same bound. */
export const fromPublisher: InboundLimits = {
  maxMessageBytes: 10 * 1024 * 1024,
  maxIncompleteBytes: 32 * 1024 * 1024,
  maxChunkStreams: 64,
  rates: null,
};

/**
 * From a destination, which is a stranger's and has nothing to send but answers, pings and acknowledgements: at 2160p60
 * some twenty messages a second, with the window that we ask for.
 */
export const fromDestination: InboundLimits = {
  maxMessageBytes: 64 * 1024,
  maxIncompleteBytes: 128 * 1024,
  maxChunkStreams: 8,
  rates: {
    bytesPerSecond: 64 * 1024,
    messagesPerSecond: 200,
    readsPerSecond: 400,
    burstSeconds: 4,
    sentBytesPerMessage: 4096,
  },
};

/** A chunk with an acknowledgement has 16 bytes; with a record of TLS around it, three times as many. */
const answerBytes = 64;

/** Counts what has come against the rates. */
export class InboundAllowance {
  readonly #rates: InboundRates;
  #bytes: number;
  #messages: number;
  #reads: number;
  #countedAtMs: number;
  #countedBytesSent = 0;

  /** @param nowMs of the same steady clock as in `take` */
  constructor(rates: InboundRates, nowMs: number) {
    this.#rates = rates;
    this.#bytes = rates.bytesPerSecond * rates.burstSeconds;
    this.#messages = rates.messagesPerSecond * rates.burstSeconds;
    this.#reads = rates.readsPerSecond * rates.burstSeconds;
    this.#countedAtMs = nowMs;
  }

  /**
   * Counts one read, before it costs any work.
   * @param bytesSent to the peer so far
   * @returns how many messages it may bring
   * @throws {RtmpProtocolError} when it is more than the peer may send
   */
  take(bytes: number, nowMs: number, bytesSent: number): number {
    const { bytesPerSecond, messagesPerSecond, readsPerSecond, burstSeconds, sentBytesPerMessage } = this.#rates;
    const seconds = (nowMs - this.#countedAtMs) / 1000;
    const answers = (bytesSent - this.#countedBytesSent) / sentBytesPerMessage;
    this.#countedAtMs = nowMs;
    this.#countedBytesSent = bytesSent;
    const grown = (left: number, perSecond: number, more: number) =>
      Math.min(perSecond * burstSeconds, left + perSecond * seconds + more);
    this.#bytes = grown(this.#bytes, bytesPerSecond, answers * answerBytes) - bytes;
    this.#messages = grown(this.#messages, messagesPerSecond, answers);
    this.#reads = grown(this.#reads, readsPerSecond, answers) - 1;
    if (this.#bytes < 0 || this.#reads < 0) throw new RtmpProtocolError('peer sends too much');
    return Math.floor(this.#messages);
  }

  /** Counts the messages that the last read has brought. */
  brought(messages: number): void {
    this.#messages -= messages;
  }
}
