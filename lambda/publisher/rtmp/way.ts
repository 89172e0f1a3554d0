// RTMP as a way out: connects to an application and publishes there, and checks whether one answers.
import type { PublishingWay } from '../destination/publishing-way.ts';
import { connectPublisher, tryApplication } from './rtmp-client.ts';
import type { RtmpTarget } from './rtmp-client.ts';

export const rtmpWay: PublishingWay<RtmpTarget> = {
  targetAt: (url, { streamKey }) => ({ url, streamKey }),
  connect: connectPublisher,
  stepsTo: ({ secure }) =>
    secure ? ['address', 'tcp', 'tls', 'handshake', 'app'] : ['address', 'tcp', 'handshake', 'app'],
  check: tryApplication,
  reachedWords:
    'The server answers, and takes this address. Whether it takes the stream key shows once a stream starts.',
};
