// A process that publishes a prepared segment repeatedly over bare sockets, with one timer and nothing else.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { readFile } from 'node:fs/promises';
import { parseRtmpURL } from '../../lambda/domain/destinations/ways/rtmp.ts';
import { readSegmentHeader } from '../../lambda/publisher/prepared/segment-format.ts';
import { phaseCount, turnEveryMs } from '../../lambda/publisher/prepared/send-schedule.ts';
import { openDestinationSocket } from '../../lambda/publisher/destination/destination-socket.ts';
import { startPublishing } from '../../lambda/publisher/rtmp/start-publishing.ts';

export interface BarePublishing {
  readonly streams: number;
  readonly rtmpURL: string;
  /** The path of a segment of pictures. */
  readonly segment: string;
  /** Distance between the first and the last socket in the segment, as between streams that start one by one. */
  readonly spreadSeconds: number;
}

process.on('disconnect', () => process.exit());
const [{ streams, rtmpURL, segment, spreadSeconds }] = (await once(process, 'message')) as [BarePublishing];
const bytes = await readFile(segment);
const header = readSegmentHeader(bytes);
const turns = sliceTurns();
const url = parseRtmpURL(rtmpURL)!;
const signal = new AbortController().signal;
const sockets: Socket[] = [];
for (let index = 0; index < streams; index++) {
  const socket = await openDestinationSocket(url, { allowPrivateAddresses: true }, signal);
  const publisher = await startPublishing(socket, url, `bare${index}`, {});
  publisher.send([
    { type: 'video', timestampMs: 0, payload: header.videoSequenceHeader! },
    { type: 'audio', timestampMs: 0, payload: header.audioSequenceHeader },
  ]);
  sockets.push(socket);
}
const spreadTurns = (spreadSeconds * 1000) / turnEveryMs;
const aheadOf = sockets.map((_, index) => Math.round((spreadTurns * (streams - 1 - index)) / streams));
let wakeUps = 0;
setInterval(() => {
  wakeUps++;
  const turn = Math.floor(wakeUps / phaseCount);
  for (let index = wakeUps % phaseCount; index < streams; index += phaseCount)
    sockets[index]!.write(turns[(turn + aheadOf[index]!) % turns.length]!);
}, turnEveryMs / phaseCount);
process.send!('publishing');

/** The media of the segment, cut into the part of each turn. */
function sliceTurns(): Buffer[] {
  const media = bytes.subarray(header.mediaStart);
  const { groupCount, groupOffsets, framesPerSecond } = header;
  const groupsPerTurn = (framesPerSecond! * turnEveryMs) / 1000;
  const offset = (turn: number) => groupOffsets[Math.min(groupCount, Math.round(turn * groupsPerTurn))]!;
  const count = Math.round(groupCount / groupsPerTurn);
  return Array.from({ length: count }, (_, turn) => media.subarray(offset(turn), offset(turn + 1)));
}
