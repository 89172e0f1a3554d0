// GET /metrics of the site: the measurements of all processes of the run, in one text.
import type { ServerResponse } from 'node:http';
import { measures } from '../../lambda/telemetry/measures.ts';
import type { Measured } from '../../lambda/telemetry/measures.ts';
import { prometheusText, prometheusType } from '../../lambda/telemetry/prometheus.ts';

export const metricsPath = '/metrics';

/** @param ofAgents reads the measurements of each agent, in order */
export async function answerMetrics(ofAgents: () => Promise<Measured[][]>, response: ServerResponse): Promise<void> {
  const agents = await ofAgents();
  const text = prometheusText(together([['site', measures.read()], ...agents.map(named)]));
  response.writeHead(200, { 'content-type': prometheusType }).end(text);
}

const named = (measured: Measured[], index: number) => [`agent ${index + 1}`, measured] as const;

/** Combines the points, each with a label for its process. */
function together(byProcess: readonly (readonly [string, Measured[]])[]): Measured[] {
  const all = byProcess.flatMap(([id, measured]) =>
    measured.map((measure) => ({
      ...measure,
      points: measure.points.map(({ attributes, value }) => ({
        attributes: { ...attributes, 'service.instance.id': id },
        value,
      })),
    })),
  );
  return [...Map.groupBy(all, ({ name }) => name).values()].map((same) => ({
    ...same[0]!,
    points: same.flatMap(({ points }) => points),
  }));
}
