// RTMP messages, which chunks carry (Adobe RTMP 1.0, sections 5.4, 6.1 and 7.1).

/** Message type ids. */
export const messageType = {
  setChunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowAcknowledgementSize: 5,
  setPeerBandwidth: 6,
  audio: 8,
  video: 9,
  commandAmf3: 17,
  dataAmf0: 18,
  commandAmf0: 20,
  aggregate: 22,
} as const;

/**
 * The chunk streams that we write on. Each kind of message has its own, as deltas of timestamps are kept per chunk
 * stream. The protocol fixes the number 2 for control messages.
 */
export const chunkStream = { control: 2, command: 3, audio: 4, data: 5, video: 6 } as const;

/** OBS publishes with this size, so every ingest is known to take it. Larger chunks would save 0.02 % of the bytes. */
export const mediaChunkSize = 4096;

/** The chunk stream and the message type of each kind of media. */
export const mediaHeaders = {
  video: { chunkStreamID: chunkStream.video, type: messageType.video },
  audio: { chunkStreamID: chunkStream.audio, type: messageType.audio },
  data: { chunkStreamID: chunkStream.data, type: messageType.dataAmf0 },
} as const;

export interface RtmpMessage {
  /** 2..65599 when read, 2..63 when written. */
  readonly chunkStreamID: number;
  readonly type: number;
  /** 0 for the connection itself, otherwise the number that createStream returned. */
  readonly streamID: number;
  /** 0..2^32-1 when read; any whole number from 0 when written, which is sent modulo 2^32. */
  readonly timestampMs: number;
  readonly payload: Buffer;
}

/** A message that a publisher sends. */
export interface MediaMessage {
  readonly type: 'video' | 'audio' | 'data';
  /** Decoding time since the start of the connection in whole milliseconds; may exceed 2^32. */
  readonly timestampMs: number;
  /**
   * An FLV tag body. For `data` it is the AMF0 values '@setDataFrame', 'onMetaData' and the metadata, which has to be
   * an ECMA array (encoded from a Map).
   */
  readonly payload: Buffer;
}

/** A protocol control message whose payload is one 32 bit number. */
export function controlMessage(type: number, value: number): RtmpMessage {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value);
  return { chunkStreamID: chunkStream.control, type, streamID: 0, timestampMs: 0, payload };
}
