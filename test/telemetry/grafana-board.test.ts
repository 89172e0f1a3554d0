// The board for Grafana uses existing measures, by their names in Prometheus.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { instruments } from '../../lambda/telemetry/instruments.ts';
import { prometheusName } from '../../lambda/telemetry/prometheus.ts';

interface Board {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const file = new URL('../../lib/monitoring/grafana-board.json', import.meta.url);
const { panels } = JSON.parse(readFileSync(file, 'utf8')) as Board;
const known = new Set(
  instruments.flatMap((instrument) => {
    const name = prometheusName(instrument);
    return instrument.kind === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
  }),
);
const named = (expr: string) =>
  [...expr.replaceAll(/by \([^)]*\)/g, '').matchAll(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'histogram_quantile');

it('each panel names a measure, and none that there is not', () => {
  const unknown = panels.flatMap(({ title, targets }) =>
    targets.flatMap(({ expr }) => {
      const names = named(expr);
      return names.length === 0 ? [`${title}: none`] : names.filter((name) => !known.has(name));
    }),
  );
  expect(panels.length).toBeGreaterThan(10);
  expect(unknown).toEqual([]);
});

it('every measure of ours is on it', () => {
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => named(expr)));
  const ours = instruments.filter(({ name }) => name.startsWith('loop.')).map(prometheusName);
  expect(ours.filter((name) => !shown.some((each) => each.startsWith(name)))).toEqual([]);
});
