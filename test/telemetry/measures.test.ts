// Measures, as Prometheus reads them and as OTLP carries them.
import { describe, expect, it } from 'vitest';
import { durationBounds, instruments } from '../../lambda/telemetry/instruments.ts';
import { Measures } from '../../lambda/telemetry/measures.ts';
import { metricsMessage } from '../../lambda/telemetry/otlp.ts';
import { prometheusName, prometheusText } from '../../lambda/telemetry/prometheus.ts';

describe('measures', () => {
  it('are text that Prometheus reads', () => {
    const measures = new Measures();
    measures.add('loop.replica.io', 10);
    measures.add('loop.replica.io', 5);
    measures.observe((say) => say('loop.agent.replicas', 2, { 'loop.stream.backend': 'a "b"\\\n' }));
    measures.record('messaging.process.duration', 0.02);
    measures.record('messaging.process.duration', 1000);
    const lines = prometheusText(measures.read()).split('\n');
    expect(lines.filter((line) => !line.startsWith('#') && !/le="(?!0.025|60|\+Inf)/.test(line))).toEqual([
      'messaging_process_duration_seconds_bucket{le="0.025"} 1',
      'messaging_process_duration_seconds_bucket{le="60"} 1',
      'messaging_process_duration_seconds_bucket{le="+Inf"} 2',
      'messaging_process_duration_seconds_sum 1000.02',
      'messaging_process_duration_seconds_count 2',
      'loop_agent_replicas{loop_stream_backend="a \\"b\\"\\\\\\n"} 2',
      'loop_replica_io_bytes_total 15',
      '',
    ]);
    expect(lines.filter((line) => line.startsWith('# TYPE'))).toEqual([
      '# TYPE messaging_process_duration_seconds histogram',
      '# TYPE loop_agent_replicas gauge',
      '# TYPE loop_replica_io_bytes_total counter',
    ]);
    const names = instruments.map(prometheusName);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('have a bounded number of points: what is beyond is counted together', () => {
    const measures = new Measures();
    for (let count = 0; count < 2000; count++) measures.add('loop.replica.frames', 1, { n: count });
    const points = measures.read().flatMap((measure) => measure.points);
    expect(points).toHaveLength(501);
    expect(points.at(-1)).toEqual({ attributes: { 'otel.metric.overflow': true }, value: 1500 });
  });

  it('leave out what nobody says any more', () => {
    const measures = new Measures();
    const stop = measures.observe((say) => say('loop.agent.behind', 1));
    expect(measures.read()).toHaveLength(1);
    stop();
    expect(measures.read()).toEqual([]);
  });

  it('are messages of OTLP', () => {
    const measures = new Measures();
    measures.record('messaging.process.duration', 0.3, { 'messaging.destination.name': 'media' });
    const bucketCounts = [...durationBounds, Infinity].map((bound) => (bound === 0.5 ? '1' : '0'));
    expect(metricsMessage({ 'service.name': 'x' }, measures.read(), 1000, 2500.25)).toMatchObject({
      resourceMetrics: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'x' } }] },
          scopeMetrics: [
            {
              metrics: [
                {
                  name: 'messaging.process.duration',
                  unit: 's',
                  histogram: {
                    aggregationTemporality: 2,
                    dataPoints: [
                      {
                        startTimeUnixNano: '1000000000',
                        timeUnixNano: '2500250000',
                        count: '1',
                        sum: 0.3,
                        bucketCounts,
                        explicitBounds: durationBounds,
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
