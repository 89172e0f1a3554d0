// Limits of the listener for contributors: bytes, messages, connections and time, before and after the key.
import { fromPublisher } from '../publisher/rtmp/inbound-limits.ts';
import type { InboundLimits } from '../publisher/rtmp/inbound-limits.ts';

const kib = 1024;
const mib = 1024 * kib;

export interface ListenerLimits {
  /** Above it, one of the connections without a key ends, by `roomMaker`. */
  readonly mostConnections: number;
  /** Connections from one IPv4 address, or from one /64 of IPv6. Above it, one of its own without a key ends. */
  readonly mostConnectionsPerAddress: number;

  /** Keys that the door is asked about at once. One whose connection has made room counts until it is answered. */
  readonly mostAskedAtOnce: number;

  /** Bytes on the wire until the key is accepted, those of the PROXY header and of TLS included. */
  readonly mostBytesBeforeKey: number;
  /** Seconds from the connection to the accepted key: for the PROXY header, TLS, the handshake and the door. */
  readonly keyWithinSeconds: number;
  /** Seconds from the connection to the first message of the handshake. Encoders send it at once. */
  readonly handshakeWithinSeconds: number;
  readonly mostCommandsBeforeKey: number;
  readonly beforeKey: InboundLimits;
  /** Size of one command, before and after the key. */
  readonly mostCommandBytes: number;
  readonly mostKeyCharacters: number;

  /** Delay after the first wrong key of an address, or after another fault. Each further one doubles it. */
  readonly firstDelaySeconds: number;
  readonly mostDelaySeconds: number;
  /** An address without a fault for so long begins at the first delay again. */
  readonly faultsForgottenAfterSeconds: number;
  /** Addresses with faults that are remembered. */
  readonly mostDelayedAddresses: number;
  /** Time after an accepted key in which connections of its address make room last. */
  readonly addressKnownForSeconds: number;
  /** Addresses with accepted keys that are remembered. */
  readonly mostKnownAddresses: number;

  readonly afterKey: InboundLimits;
  /** Messages within one aggregate message. */
  readonly mostMessagesPerAggregate: number;
  /** A contributor that sends no message of media for so long is disconnected. */
  readonly mostSilentSeconds: number;
  /** Bytes that the receiver of one contributor may have waiting before the listener stops reading from it. */
  readonly mostWaitingBytes: number;
  /** Bytes that all receivers together may have waiting: each may have its equal part. */
  readonly mostWaitingBytesInAll: number;
  /** A contributor is disconnected if the listener could not read from it for so long. */
  readonly mostPausedSeconds: number;
  /** Memory of incomplete messages of all connections. Above it, the connection with the most of it ends. */
  readonly mostIncompleteBytesInAll: number;
  /** Unread answers after which a contributor is disconnected. */
  readonly mostQueuedAnswerBytes: number;

  /** Seconds for the other side to close after its last answer. */
  readonly leaveWithinSeconds: number;
  /** Refusals that are logged in a minute. The next line that is logged has the number of the others. */
  readonly refusalsLoggedPerMinute: number;
}

/** Commands before the key are connect, releaseStream, FCPublish, createStream, _checkbw and publish. */
const beforeKey: InboundLimits = {
  maxMessageBytes: 16 * kib,
  maxIncompleteBytes: 64 * kib,
  maxChunkStreams: 8,
  rates: {
    bytesPerSecond: 64 * kib,
    messagesPerSecond: 64,
    // A contributor may write each byte by itself.
    readsPerSecond: 64 * kib,
    burstSeconds: 1,
    sentBytesPerMessage: Infinity,
  },
};

const afterKey: InboundLimits = {
  ...fromPublisher,
  rates: {
    // 60 Mbit/s is three times the bitrate that platforms recommend for 2160p60 in H.264.
    bytesPerSecond: 7_500_000,
    // 120 pictures and 50 pieces of sound for each of a few tracks.
    messagesPerSecond: 1000,
    // Chunks of 128 bytes, each in a TLS record of its own, at 10 Mbit/s.
    readsPerSecond: 10_000,
    // After a pause of the network, a contributor sends all that it has kept.
    burstSeconds: 4,
    sentBytesPerMessage: Infinity,
  },
};

export const listenerLimits: ListenerLimits = {
  mostConnections: 200,
  mostConnectionsPerAddress: 8,
  mostAskedAtOnce: 400,
  mostBytesBeforeKey: 64 * kib,
  keyWithinSeconds: 10,
  handshakeWithinSeconds: 4,
  mostCommandsBeforeKey: 32,
  beforeKey,
  mostCommandBytes: 16 * kib,
  mostKeyCharacters: 256,
  firstDelaySeconds: 1,
  mostDelaySeconds: 60,
  faultsForgottenAfterSeconds: 600,
  mostDelayedAddresses: 10_000,
  addressKnownForSeconds: 86_400,
  mostKnownAddresses: 10_000,
  afterKey,
  mostMessagesPerAggregate: 256,
  mostSilentSeconds: 30,
  mostWaitingBytes: 8 * mib,
  mostWaitingBytesInAll: 32 * mib,
  mostPausedSeconds: 30,
  mostIncompleteBytesInAll: 16 * mib,
  mostQueuedAnswerBytes: 64 * kib,
  leaveWithinSeconds: 2,
  refusalsLoggedPerMinute: 60,
};
