// Metrics in Prometheus' text format, with names by OpenTelemetry's compatibility specification.
import { durationBounds } from './instruments.ts';
import type { Instrument } from './instruments.ts';
import type { Distribution, Measured } from './measures.ts';
import type { Attributes } from './spans.ts';

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

const unitSuffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

/** `loop.replica.io` in By, a counter → `loop_replica_io_bytes_total`. */
export function prometheusName({ name, unit, kind }: Instrument): string {
  const ratio = unit === '1' && kind === 'gauge' ? '_ratio' : '';
  return name.replaceAll('.', '_') + (unitSuffixes[unit] ?? ratio) + (kind === 'counter' ? '_total' : '');
}

export function prometheusText(measured: readonly Measured[]): string {
  return measured.map(familyOf).join('');
}

function familyOf(measure: Measured): string {
  const name = prometheusName(measure);
  const type = measure.kind === 'sum' ? 'gauge' : measure.kind;
  const lines = measure.points.flatMap(({ attributes, value }) =>
    typeof value === 'number' ? [`${name}${labels(attributes)} ${value}`] : linesOf(name, attributes, value),
  );
  return `# HELP ${name} ${escaped(measure.description)}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`;
}

function linesOf(name: string, attributes: Attributes, { count, sum, buckets }: Distribution): string[] {
  let upTo = 0;
  const bounds = [...durationBounds.map(String), '+Inf'];
  return [
    ...bounds.map(
      (bound, index) => `${name}_bucket${labels({ ...attributes, le: bound })} ${(upTo += buckets[index]!)}`,
    ),
    `${name}_sum${labels(attributes)} ${sum}`,
    `${name}_count${labels(attributes)} ${count}`,
  ];
}

function labels(attributes: Attributes): string {
  const pairs = Object.entries(attributes).map(
    ([key, value]) => `${key.replaceAll(/[^a-zA-Z0-9_]/g, '_')}="${escaped(String(value)).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
