// An independent collector receives the trace of one start, connected from the request to the first picture.
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startLocalRun, temporaryDataFolder } from '../support/local-run.ts';
import { findOtlpReceiver } from '../support/otlp-receiver.ts';
import type { ReceivedSpan } from '../support/otlp-receiver.ts';

const receivers = await findOtlpReceiver();
const waitMs = 120_000;

it.skipIf(receivers.missing)(
  `the demo's start is one trace, and what processes measure arrives ${receivers.note}`,
  { timeout: 600_000 },
  async () => {
    await using receiver = await receivers.start();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.endpoint);
    const data = await temporaryDataFolder();
    const run = await startLocalRun(join(data.path, 'run'));
    vi.unstubAllEnvs();
    const streams = async () => (await run.api('GET', '/streams')).data as { id: string; state: string }[];
    await expect
      .poll(async () => (await streams()).map(({ state }) => state), { timeout: waitMs, interval: 500 })
      .toEqual(['active']);
    const { id } = (await streams())[0]!;
    const named = (name: string) => receiver.spans.filter((span) => span.name === name);
    await expect.poll(() => named('start replica').length, { timeout: waitMs, interval: 500 }).toBeGreaterThan(0);
    await expect
      .poll(() => named('POST /v1/streams/{id}/start').length, { timeout: waitMs, interval: 500 })
      .toBeGreaterThan(0);

    const [start] = named('start replica');
    const trace = receiver.spans.filter(({ traceId }) => traceId === start!.traceId);
    const byID = new Map(trace.map((span) => [span.spanId, span]));
    const rootOf = (span: ReceivedSpan): ReceivedSpan => {
      const parent = byID.get(span.parentSpanId ?? '');
      return parent ? rootOf(parent) : span;
    };
    expect(new Set(trace.map((span) => rootOf(span).name))).toEqual(new Set(['POST /v1/streams/{id}/start']));
    expect(new Set(trace.map(({ name }) => name))).toEqual(
      new Set([
        'POST /v1/streams/{id}/start',
        'process publish-ffmpeg',
        'start replica',
        'load plan',
        'connect',
        'open media',
      ]),
    );
    expect(new Set(trace.map(({ service }) => service))).toEqual(
      new Set(['loop-streaming-api', 'loop-streaming-agent']),
    );
    for (const span of trace)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));

    const ofAgents = ['loop.agent.replicas', 'loop.replica.frames', 'loop.replica.start.duration', 'process.cpu.time'];
    await expect
      .poll(() => ofAgents.filter((name) => !receiver.measures.has(name)), { timeout: waitMs, interval: 500 })
      .toEqual([]);

    const text = await (await fetch(`${run.connection.siteURL}/metrics`)).text();
    expect(text).toMatch(/^loop_agent_replicas\{loop_stream_backend="ffmpeg",service_instance_id="agent 1"\} 1$/m);
    expect(text).toMatch(/^http_server_request_duration_seconds_count\{.*http_route="\/v1\/streams\/\{id\}\/start"/m);
    for (const name of [id, run.connection.user.email, run.connection.apiKey]) expect(text).not.toContain(name);
    expect(await run.interrupt()).toBe(0);
    await data.remove();
  },
);
