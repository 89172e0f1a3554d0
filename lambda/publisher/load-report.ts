// The reports of load that tasks write to their logs. CloudWatch turns them into metrics for scaling and alarms.
import type { StreamBackend } from '../domain/streams/stream-words.ts';
import { loadMetrics } from './environment.ts';

type LoadMetric = Exclude<(typeof loadMetrics)[keyof typeof loadMetrics], string>;

/** The backend in the metrics of a task: `media` of media workers, `live` of live ingests. */
export type LoadBackend = StreamBackend | 'media' | 'live';

const minuteMs = 60_000;

/** Milliseconds until the middle of a minute: reporting then gives each minute of the metrics one value per task. */
export function untilNextReportMs(now: Date): number {
  return minuteMs - ((now.getTime() + minuteMs / 2) % minuteMs);
}

/** Fields of a log line that CloudWatch turns into metrics (embedded metric format). */
export function loadFields(
  { cluster: Cluster, backend: Backend, now }: { cluster: string; backend: LoadBackend; now: Date },
  values: readonly (readonly [LoadMetric, number])[],
) {
  const Metrics = values.map(([{ name: Name, unit: Unit }]) => ({ Name, Unit }));
  const _aws = {
    Timestamp: now.getTime(),
    CloudWatchMetrics: [{ Namespace: loadMetrics.namespace, Dimensions: [['Cluster', 'Backend']], Metrics }],
  };
  return { _aws, Cluster, Backend, ...Object.fromEntries(values.map(([{ name }, value]) => [name, value])) };
}
