// Sends traces and metrics of this process, if its environment names a collector.
import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import { Exporter } from './exporter.ts';
import { measures } from './measures.ts';
import { observeProcess } from './process-measures.ts';
import { keepSpans } from './spans.ts';
import type { Attributes } from './spans.ts';

export interface TelemetryOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The part of the platform that this process is. */
  readonly service: 'api' | 'agent' | 'jobs' | 'imports' | 'live';
  /** A unique id of this process. */
  readonly instanceID: string;
  readonly log: Log;
}

export interface Telemetry extends AsyncDisposable {
  /** Sends all that waits. Never rejects. @returns whether the collector accepted it */
  flush(): Promise<boolean>;
}

const everyMs = 10_000;
/** The longest time that a function's answer waits for the collector. */
const mostWaitMs = 300;
/** After a slow or failed export, answers do not wait for the collector for this long. */
const restMs = 30_000;

/** @returns null if no collector is named @throws if the environment is malformed */
export function startTelemetry({ env, service, instanceID, log }: TelemetryOptions): Telemetry | null {
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  if (endpoint === '') return null;
  if (!URL.canParse(endpoint)) throw new Error(`OTEL_EXPORTER_OTLP_ENDPOINT is no URL: ${endpoint}`);
  const share = Number(env['OTEL_TRACES_SAMPLER_ARG'] || '1');
  if (!(share >= 0 && share <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG is not from 0 to 1');
  const resource: Attributes = {
    ...pairsOf(env['OTEL_RESOURCE_ATTRIBUTES']),
    'service.namespace': 'loop-streaming',
    'service.name': `loop-streaming-${service}`,
    'service.instance.id': instanceID,
  };
  const clock = () => performance.timeOrigin + performance.now();
  const exporter = new Exporter({
    endpoint,
    headers: pairsOf(env['OTEL_EXPORTER_OTLP_HEADERS']),
    resource,
    measures,
    clock,
    log,
  });
  keepSpans({ share, keep: exporter.keep, clock });
  const timer = setInterval(() => void exporter.flush(), everyMs);
  timer.unref();
  return {
    flush: () => exporter.flush(),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      keepSpans(null);
      await exporter.flush();
    },
  };
}

/**
 * Wraps the handler of a function, to send telemetry before it answers: the function may be frozen or ended at any time
 * after that. A slow collector delays one answer by `mostWaitMs`, and then none for `restMs`. Without a collector the
 * handler itself is returned.
 */
export function measuredFunction<Given extends unknown[], Result>(
  options: Omit<TelemetryOptions, 'instanceID'>,
  handler: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  const telemetry = startTelemetry({ ...options, instanceID: randomUUID() });
  if (telemetry === null) return handler;
  observeProcess(measures);
  let restsUntilMs = 0;
  return async (...given) => {
    try {
      return await handler(...given);
    } finally {
      if (Date.now() >= restsUntilMs && !(await isTakenSoon(telemetry))) restsUntilMs = Date.now() + restMs;
    }
  };
}

async function isTakenSoon(telemetry: Telemetry): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, mostWaitMs, false);
  const isTaken = await Promise.race([telemetry.flush(), late.promise]);
  clearTimeout(timer);
  return isTaken;
}

/** Reads `key=value,key=value`, percent-encoded, as in W3C Baggage. */
function pairsOf(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
