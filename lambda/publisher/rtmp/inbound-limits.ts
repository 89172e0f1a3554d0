// Limits of the bytes and messages that the other side may send. A connection that exceeds them ends.
import { RtmpProtocolError } from './protocol-error.ts';

export interface InboundLimits {
  readonly maxMessageBytes: number;
  /** Size of all messages whose last chunk has not come yet. */
  readonly maxIncompleteBytes: number;
  readonly maxChunkStreams: number;
  /** Null for a publisher of the local run: its media may come at any rate. */
  readonly rates: InboundRates | null;
}

export interface InboundRates {
  readonly bytesPerSecond: number;
  readonly messagesPerSecond: number;
  /** Reads of the socket. Over TLS, each byte may come in a record and a read of its own. */
  readonly readsPerSecond: number;
  /** Seconds of these rates that may come at once, as after a pause of the network. */
  readonly burstSeconds: number;
  /** One more message and read may come each time we have sent this: some servers acknowledge each read. */
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
 * From a destination, which we do not trust. It has only answers, pings and acknowledgements to send: some twenty
 * messages a second at 2160p60, with the window that we ask for.
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

/** Counts bytes, messages and reads against the rates. */
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
   * @throws {RtmpProtocolError} when the peer sends more than it may
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
