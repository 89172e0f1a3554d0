// RTMP command messages: a name, a transaction number and AMF0 values (Adobe RTMP 1.0, section 7.2).
import { decodeAmf0, encodeAmf0 } from './amf0.ts';
import type { Amf0Input, Amf0Object, Amf0Value } from './amf0.ts';
import { chunkStream, messageType } from './message.ts';
import type { RtmpMessage } from './message.ts';
import { RtmpProtocolError } from './protocol-error.ts';

export interface RtmpCommand {
  readonly name: string;
  /** Identifies the command that a `_result` or `_error` answers; 0 expects no answer. */
  readonly transactionID: number;
  /** The command object first (null for most commands), then the arguments. */
  readonly values: readonly Amf0Value[];
}

export function commandMessage(
  streamID: number,
  name: string,
  transactionID: number,
  ...values: Amf0Input[]
): RtmpMessage {
  const payload = encodeAmf0([name, transactionID, ...values]);
  return { chunkStreamID: chunkStream.command, type: messageType.commandAmf0, streamID, timestampMs: 0, payload };
}

/**
 * The command in a message; null for another kind of message.
 * @throws {RtmpProtocolError} when a command message does not hold a command
 */
export function readCommand(message: RtmpMessage): RtmpCommand | null {
  // A command of type AMF3 has the same AMF0 values behind one byte.
  if (message.type === messageType.commandAmf3) return parseCommand(message.payload.subarray(1));
  return message.type === messageType.commandAmf0 ? parseCommand(message.payload) : null;
}

function parseCommand(payload: Buffer): RtmpCommand {
  const [name, transactionID, ...values] = decodeAmf0(payload);
  if (typeof name !== 'string') throw new RtmpProtocolError('command without a name');
  return { name, transactionID: typeof transactionID === 'number' ? transactionID : 0, values };
}

/** `value` when it is an AMF0 object, else an empty one. */
export function asObject(value: Amf0Value): Amf0Object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
