// Modules that open connections or send requests, each with the test that puts a hostile server at the other end.

/** The test file of each module by its path below `lambda/`, or the reason why no stranger is at the other end. */
export const waysOut: Readonly<Record<string, { readonly test: string } | { readonly because: string }>> = {
  'publisher/destination/destination-socket.ts': { test: 'test/ports/outbound/answers-without-end.test.ts' },
  'publisher/hls/upload-connection.ts': { test: 'test/ports/outbound/answers-without-end.test.ts' },
  'publisher/srt/srt-socket.ts': { test: 'test/ports/outbound/answers-without-end.test.ts' },
  'ports/outbound/checked-request.ts': { test: 'test/ports/outbound/answers-without-end.test.ts' },
  'ports/outbound/bounded-tls.ts': { test: 'test/ports/outbound/answers-without-end.test.ts' },
  'live/rtmp-listener.ts': { test: 'test/live/hostile-contributors.test.ts' },
  'live/srt-listener.ts': { test: 'test/live/hostile-callers.test.ts' },
  'ports/managed-platforms/platform-request.ts': { because: 'platforms are named by the operator' },
  'ports/payments/oxapay-processor.ts': { because: 'the payment processor is named by the operator' },
  'ports/aws/call-aws.ts': { because: 'AWS' },
  'publisher/agent/peers.ts': { because: 'agents of the same stage' },
  'telemetry/exporter.ts': { because: 'the collector is named by the operator' },
  'synthetic/platform-client.ts': { because: 'the API of the same stage' },
  'synthetic/synthetic-stream.ts': { because: 'the API of the same stage' },
  'imports/import-run.ts': { test: 'test/ports/outbound/answers-without-end.test.ts' },
  'live/live.task.ts': { because: 'answers the health check of ECS on the same machine' },
  'imports/import.task.ts': { because: 'answers the health check of ECS on the same machine' },
  'publisher/agent.task.ts': { because: 'answers the health check of ECS on the same machine' },
  'publisher/media/source-head.ts': { because: 'reads objects of our own store' },
  'surfaces/sdk/typescript/loop.ts': { because: 'runs at a customer, and calls the API of a stage' },
  'container/task-protection.ts': { because: 'the agent of ECS on the same machine' },
  'container/ecs-task.ts': { because: 'the agent of ECS on the same machine' },
};
