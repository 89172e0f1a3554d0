// HLS by PUT as a way out: uploads segments to a server, and checks whether one answers.
import { parseHlsURL } from '../../domain/destinations/ways/hls.ts';
import { openDestinationSocket } from '../destination/destination-socket.ts';
import type { PublishingWay } from '../destination/publishing-way.ts';
import { connectHls } from './hls-publisher.ts';
import type { HlsTarget } from './hls-publisher.ts';

export const hlsWay: PublishingWay<HlsTarget> = {
  targetAt: (url, { streamKey }) => ({ url, streamKey }),
  connect: connectHls,
  stepsTo: () => ['address', 'tcp', 'tls'],
  async check(url, options, signal) {
    const socket = await openDestinationSocket(parseHlsURL(url)!, options, signal);
    socket.destroy();
  },
  reachedWords: 'The server answers over TLS. Whether it takes uploads shows once a stream starts.',
};
