// SRT as a way out: calls a listener and publishes there, and checks whether one answers.
import { parseSrtURL } from '../../domain/destinations/ways/srt.ts';
import type { PublishingWay } from '../destination/publishing-way.ts';
import { awaitListener } from './call.ts';
import { connectSrt } from './srt-publisher.ts';
import type { SrtTarget } from './srt-publisher.ts';
import { openSrtSocket } from './srt-socket.ts';

export const srtWay: PublishingWay<SrtTarget> = {
  targetAt(url, { srt }) {
    if (srt === null) throw new TypeError('a destination of SRT needs its latency');
    return { url, ...srt };
  },
  connect: connectSrt,
  stepsTo: () => ['address', 'handshake'],
  async check(url, options, signal) {
    const socket = await openSrtSocket(parseSrtURL(url)!, options);
    options.onStep?.('address');
    await awaitListener(socket, signal).finally(() => socket.close());
    options.onStep?.('handshake');
  },
  reachedWords: 'An SRT listener answers. Whether it takes the stream ID and passphrase shows once a stream starts.',
};
