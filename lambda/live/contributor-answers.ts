// Answers to the commands of contributors, as OBS, ffmpeg, GStreamer and hardware encoders expect them.
import { commandMessage } from '../publisher/rtmp/command.ts';
import type { RtmpMessage } from '../publisher/rtmp/message.ts';
import type { ConnectionEndReason } from './contributor-host.ts';

/** The only stream of a connection. */
const onlyStreamID = 1;

export function connectAccepted(transactionID: number): RtmpMessage {
  const properties = { fmsVer: 'FMS/3,0,1,123', capabilities: 31 };
  const info = { level: 'status', code: 'NetConnection.Connect.Success', description: 'Connected', objectEncoding: 0 };
  return commandMessage(0, '_result', transactionID, properties, info);
}

export function connectRefused(transactionID: number): RtmpMessage {
  const info = { level: 'error', code: 'NetConnection.Connect.InvalidApp', description: 'Unknown application' };
  return commandMessage(0, '_error', transactionID, null, info);
}

export function streamCreated(transactionID: number): RtmpMessage {
  return commandMessage(0, '_result', transactionID, null, onlyStreamID);
}

/** An answer without content. Some encoders wait for one; a transaction number of 0 asks for none. */
export function acknowledged(transactionID: number): RtmpMessage[] {
  return transactionID === 0 ? [] : [commandMessage(0, '_result', transactionID, null, undefined)];
}

/** Some hardware encoders wait for `onFCPublish` before they send media; the others for `onStatus`. */
export function publishAccepted(): RtmpMessage[] {
  const info = { code: 'NetStream.Publish.Start', description: 'Publishing' };
  return [
    commandMessage(onlyStreamID, 'onFCPublish', 0, null, info),
    commandMessage(onlyStreamID, 'onStatus', 0, null, { level: 'status', ...info }),
  ];
}

/** Reasons that a contributor with a valid key learns. */
const namedReasons: Readonly<Partial<Record<ConnectionEndReason, string>>> = {
  share_used: 'All live contributors that one account may have are connected',
  unfunded_share_used:
    'Live contributors of all users without a purchase have a part of the places, and too few of it are free. ' +
    'Buy credits, or try again later',
  too_demanding: 'The stream needs more cores than live contributions have. Use a smaller quality or frame rate',
  resting: 'Contributions of this key ended within seconds, again and again. It can be used within a minute',
};

/** The answer to a refused key. @param reason null: none is known */
export function publishRefused(reason: ConnectionEndReason | null): RtmpMessage {
  const description = (reason && namedReasons[reason]) ?? 'Not accepted';
  const info = { level: 'error', code: 'NetStream.Publish.Denied', description };
  return commandMessage(onlyStreamID, 'onStatus', 0, null, info);
}

export function unpublished(): RtmpMessage[] {
  const info = { code: 'NetStream.Unpublish.Success', description: 'Ended' };
  return [
    commandMessage(onlyStreamID, 'onFCUnpublish', 0, null, info),
    commandMessage(onlyStreamID, 'onStatus', 0, null, { level: 'status', ...info }),
  ];
}
