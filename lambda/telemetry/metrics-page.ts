// Answers GET /metrics of a process with its metrics. The server must listen on loopback only.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Measures } from './measures.ts';
import { prometheusText, prometheusType } from './prometheus.ts';

const metricsPath = '/metrics';

/** @returns whether the request was for the metrics */
export function answerMetrics(measures: Measures, request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url !== metricsPath || request.method !== 'GET') return false;
  response.writeHead(200, { 'content-type': prometheusType }).end(prometheusText(measures.read()));
  return true;
}
