// The built-in ingest of the local run as a destination of tests.
import { beforeEach, onTestFinished } from 'vitest';
import { startRtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import type { RtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';

/** Starts a sink for each test of the calling file. */
export function sinkOfTest(): () => RtmpSink {
  let sink: RtmpSink;
  beforeEach(async () => {
    sink = await startRtmpSink({ port: 0 });
    onTestFinished(() => sink.close());
  });
  return () => sink;
}
