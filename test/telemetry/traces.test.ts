// A start is one trace, from the request through commands and rows to the agent; without a collector nothing is sent.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { all } from '../../lambda/data/shared/queryable.ts';
import { StartTrace } from '../../lambda/publisher/agent/start-trace.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { Exporter } from '../../lambda/telemetry/exporter.ts';
import { Measures } from '../../lambda/telemetry/measures.ts';
import { beginSpan, keepSpans } from '../../lambda/telemetry/spans.ts';
import type { Span } from '../../lambda/telemetry/spans.ts';
import { measuredFunction, startTelemetry } from '../../lambda/telemetry/telemetry.ts';
import { readTraceparent } from '../../lambda/telemetry/trace-context.ts';
import { actorsOn } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, claim, readyStream, register } = actorsOn(service);
let kept: Span[] = [];
const keep = (share: number) => keepSpans({ share, clock: () => Date.now(), keep: (span) => void kept.push(span) });
beforeEach(() => {
  kept = [];
});
afterEach(() => keepSpans(null));

const traceparents = () => all<{ traceparent: string | null }>(service.pool(), 'select traceparent from outbox');

describe('a start', () => {
  it('is one trace, over the command and the row to the agent', async () => {
    await register('agent');
    const id = await readyStream();
    await service.pool().query('delete from outbox');
    keep(1);
    await call('POST', `/streams/${id}/start`);
    const [request] = kept.splice(0);
    expect(request).toMatchObject({
      name: 'POST /v1/streams/{id}/start',
      kind: 'server',
      parentSpanID: null,
      attributes: { 'http.route': '/v1/streams/{id}/start', 'http.response.status_code': 200 },
    });
    const { traceID, spanID } = request!.context;

    const stopping = new AbortController();
    const queue = createPostgresCommandQueue({ pool: service.pool(), log: () => {} });
    await queue.consume(
      'publish-ffmpeg',
      async () => {
        stopping.abort();
        return { batchItemFailures: [] };
      },
      { signal: stopping.signal },
    );
    expect(kept.splice(0)).toMatchObject([
      { name: 'process publish-ffmpeg', kind: 'consumer', parentSpanID: spanID, context: { traceID } },
    ]);

    const [replica] = await claim('agent');
    expect(readTraceparent(replica!.traceparent)).toEqual({ traceID, spanID, isSampled: true });
    const start = new StartTrace(replica!);
    const endTurn = await start.connecting({ take: async () => () => {} }).take({} as never, stopping.signal);
    endTurn();
    start.onAir();
    start.gone();
    expect(kept.map(({ name, context, errorType }) => [name, context.traceID, errorType])).toEqual([
      ['connect', traceID, null],
      ['start replica', traceID, null],
    ]);
  });

  it('leaves no trace where none is kept, and none while telemetry is off', async () => {
    const id = await readyStream();
    keep(0);
    await call('POST', `/streams/${id}/start`);
    keepSpans(null);
    await call('POST', `/streams/${id}/stop`);
    expect(kept).toEqual([]);
    expect((await traceparents()).map(({ traceparent }) => traceparent)).not.toContainEqual(expect.anything());
    expect(startTelemetry({ env: {}, service: 'api', instanceID: '', log: () => {} })).toBeNull();
  });
});

it.each([undefined, '', 'x', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, `01-${'1'.repeat(32)}-${'1'.repeat(16)}-01`])(
  'nothing depends on a traceparent of others: %s',
  (traceparent) => {
    expect(readTraceparent(traceparent)).toBeNull();
  },
);

describe('a collector', () => {
  /** @param answer status of each answer; 0: none */
  async function collector(answer: () => number) {
    const taken: string[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const status = answer();
        if (status === 0) return request.socket.destroy();
        if (status === 200) taken.push(`${request.headers['x-key']} ${request.url} ${body}`);
        return response.writeHead(status).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const exporter = new Exporter({
      endpoint: `http://127.0.0.1:${port}/`,
      headers: { 'x-key': 'k' },
      resource: {},
      measures: new Measures(),
      clock: () => Date.now(),
      log: (event) => void logged.push(event),
    });
    const logged: string[] = [];
    keepSpans({ share: 1, clock: () => Date.now(), keep: exporter.keep });
    const close = async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    };
    return { exporter, taken, logged, [Symbol.asyncDispose]: close };
  }
  const spansOf = (taken: readonly string[]) =>
    taken.filter((each) => each.startsWith('k /v1/traces')).flatMap((each) => each.match(/"name":"work/g) ?? []);

  it('that is away gets later what it could not take, and it is said once', async () => {
    let status = 0;
    await using it = await collector(() => status);
    beginSpan('work', 'internal', {}, null)!.end();
    await it.exporter.flush();
    status = 503;
    await it.exporter.flush();
    expect(it.logged).toEqual(['telemetry_not_taken']);
    status = 200;
    await it.exporter.flush();
    await it.exporter.flush();
    expect(spansOf(it.taken)).toHaveLength(1);
    expect(it.logged).toEqual(['telemetry_not_taken', 'telemetry_taken_again']);
  });

  it('that takes nothing costs a bounded number of spans', async () => {
    let status = 503;
    await using it = await collector(() => status);
    for (let count = 0; count < 3000; count++) beginSpan('work', 'internal', {}, null)!.end();
    await it.exporter.flush();
    status = 200;
    await it.exporter.flush();
    expect(spansOf(it.taken)).toHaveLength(2048);
  });

  it('that accepts and never answers delays one answer of a function a little, and then none for a while', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    try {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
      const handler = measuredFunction({ env, service: 'api', log: () => {} }, async () => 'answer');
      const soon = (answer: Promise<string>) => Promise.race([answer, new Promise((resolve) => setImmediate(resolve))]);
      const delayed = async () => {
        const answer = handler();
        expect(await soon(answer)).toBeUndefined();
        await vi.advanceTimersByTimeAsync(300);
        expect(await soon(answer)).toBe('answer');
      };
      await delayed();
      expect(await soon(handler())).toBe('answer');
      await vi.advanceTimersByTimeAsync(30_000);
      await delayed();
    } finally {
      vi.useRealTimers();
      server.close();
      server.closeAllConnections();
    }
  });
});
