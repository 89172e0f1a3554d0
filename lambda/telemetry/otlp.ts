// Spans and metrics as messages of OTLP 1.x in JSON.
// Names are in camelCase, ids in hexadecimal digits, 64-bit numbers are decimal strings
// (opentelemetry.io/docs/specs/otlp, “JSON Protobuf Encoding”).
import { durationBounds } from './instruments.ts';
import type { Measured, Point } from './measures.ts';
import type { Attributes, Span, SpanKind } from './spans.ts';

const scope = { name: 'loop-streaming' };
const spanKinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, consumer: 5 };
const statusError = 2;
const cumulative = 2;

/** @param resource attributes that identify the process */
export function tracesMessage(resource: Attributes, spans: readonly Span[]): object {
  return {
    resourceSpans: [
      { resource: { attributes: pairs(resource) }, scopeSpans: [{ scope, spans: spans.map(spanMessage) }] },
    ],
  };
}

function spanMessage({ context, parentSpanID, name, kind, beganMs, endedMs, attributes, errorType }: Span): object {
  return {
    traceId: context.traceID,
    spanId: context.spanID,
    ...(parentSpanID !== null && { parentSpanId: parentSpanID }),
    // Bit 0: the trace is sampled.
    flags: 1,
    name,
    kind: spanKinds[kind],
    startTimeUnixNano: nanoseconds(beganMs),
    endTimeUnixNano: nanoseconds(endedMs),
    attributes: pairs(attributes),
    status: errorType === null ? {} : { code: statusError },
  };
}

/** @param beganMs the start of the counters, in milliseconds since the epoch @param nowMs the time of the values */
export function metricsMessage(
  resource: Attributes,
  measured: readonly Measured[],
  beganMs: number,
  nowMs: number,
): object {
  const times = { startTimeUnixNano: nanoseconds(beganMs), timeUnixNano: nanoseconds(nowMs) };
  const metrics = measured.map(({ name, unit, description, kind, points }) => {
    const dataPoints = points.map((point) => ({ attributes: pairs(point.attributes), ...times, ...valueOf(point) }));
    const data =
      kind === 'histogram'
        ? { histogram: { aggregationTemporality: cumulative, dataPoints } }
        : kind === 'gauge'
          ? { gauge: { dataPoints } }
          : { sum: { aggregationTemporality: cumulative, isMonotonic: kind === 'counter', dataPoints } };
    return { name, unit, description, ...data };
  });
  return {
    resourceMetrics: [{ resource: { attributes: pairs(resource) }, scopeMetrics: [{ scope, metrics }] }],
  };
}

function valueOf({ value }: Point): object {
  if (typeof value === 'number') return { asDouble: value };
  const { count, sum, buckets } = value;
  return { count: String(count), sum, bucketCounts: buckets.map(String), explicitBounds: durationBounds };
}

function pairs(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value },
  }));
}

/** Milliseconds as nanoseconds. A double holds today's milliseconds to a quarter of a microsecond. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}
