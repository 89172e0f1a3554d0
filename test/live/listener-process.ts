// A listener for contributors in a process of its own, whose memory can be measured: it prints lines of JSON.
// The argument `srt` makes it a listener for SRT.
import { createHash } from 'node:crypto';

import type { ContributionDoor } from '../../lambda/live/contribution.ts';
import { openRtmpListener } from '../../lambda/live/rtmp-listener.ts';
import { openSrtListener } from '../../lambda/live/srt-listener.ts';

/** One line of the output. */
export interface ListenerLine {
  readonly port: number;
  readonly residentBytes: number;
  readonly mostResidentBytes: number;
  readonly connections: number;
  readonly contributing: number;
  readonly refused: number;
  readonly admitted: number;
  /** Tags of the contribution with the key `good`, and the hash of their bodies. */
  readonly goodTags: number;
  readonly goodHash: string;
  readonly goodEnded: boolean;
  /** The beginnings of the hashes of its pictures, in order. */
  readonly goodPictures: readonly string[];
}

const goodHash = createHash('sha256');
let goodTags = 0;
let goodEnded = false;
const goodPictures: string[] = [];

const door: ContributionDoor = {
  admit: ({ key }) => {
    if (key !== 'good' && key !== 'hostile') return Promise.resolve('unknown_key');
    const isGood = key === 'good';
    return Promise.resolve({
      bytesWaiting: 0,
      receive: ({ type, body }) => {
        // The mark of the end, which ffmpeg adds.
        if (!isGood || (type === 'video' && body[1] === 2)) return;
        goodTags++;
        goodHash.update(body);
        if (type === 'video' && body[1] === 1)
          goodPictures.push(createHash('sha256').update(body).digest('hex').slice(0, 8));
      },
      ended: () => {
        if (isGood) goodEnded = true;
      },
    });
  },
};

const listening = { door, port: 0, log: () => {}, steadyClock: () => performance.now() };
const listener =
  process.argv[2] === 'srt'
    ? await openSrtListener(listening)
    : await openRtmpListener({ ...listening, tls: null, proxyProtocol: false });
let mostResidentBytes = 0;
setInterval(() => {
  const residentBytes = process.memoryUsage.rss();
  mostResidentBytes = Math.max(mostResidentBytes, residentBytes);
}, 10);
setInterval(() => {
  const { connections, contributing, refused, admitted } = listener.figures();
  const line: ListenerLine = {
    port: listener.port,
    residentBytes: process.memoryUsage.rss(),
    mostResidentBytes,
    connections,
    contributing,
    refused,
    admitted,
    goodTags,
    goodHash: goodHash.copy().digest('hex'),
    goodEnded,
    goodPictures,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}, 100);
process.stdin.on('end', () => process.exit(0)).resume();
