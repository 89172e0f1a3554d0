// Sends spans and metrics to a collector by OTLP over HTTP. No work waits for it, and its queue is limited.
import type { Log } from '../log.ts';
import type { Measures } from './measures.ts';
import { metricsMessage, tracesMessage } from './otlp.ts';
import type { Attributes, Span } from './spans.ts';

export interface ExporterOptions {
  /** The base URL of the collector; `/v1/traces` and `/v1/metrics` are below it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  readonly measures: Measures;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * Most spans that wait; further ones are dropped. An agent with 300 streams has this many in some minutes of starts.
 */
const mostSpans = 2048;
const spansAtOnce = 512;
const timeoutMs = 5000;
/** After these statuses, the message may be sent again (“OTLP/HTTP Response”). */
const retried = new Set([429, 502, 503, 504]);

export class Exporter {
  readonly #options: ExporterOptions;
  readonly #beganMs: number;
  #spans: Span[] = [];
  #last: Promise<boolean> = Promise.resolve(true);
  #isFailing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#beganMs = options.clock();
  }

  readonly keep = (span: Span): void => {
    if (this.#spans.length < mostSpans) this.#spans.push(span);
    else this.#options.measures.add('loop.telemetry.spans.dropped', 1);
  };

  /** Sends all waiting spans and the metrics, after earlier ones. Never rejects. @returns whether they were accepted */
  flush(): Promise<boolean> {
    return (this.#last = this.#last.then(() => this.#send()));
  }

  async #send(): Promise<boolean> {
    const { resource, measures, clock } = this.#options;
    while (this.#spans.length > 0) {
      const spans = this.#spans.splice(0, spansAtOnce);
      const outcome = await this.#post('/v1/traces', tracesMessage(resource, spans));
      if (outcome === 'taken') continue;
      const kept = outcome === 'later' ? spans.slice(0, mostSpans - this.#spans.length) : [];
      this.#spans.unshift(...kept);
      measures.add('loop.telemetry.spans.dropped', spans.length - kept.length);
      break;
    }
    const message = metricsMessage(resource, measures.read(), this.#beganMs, clock());
    return (await this.#post('/v1/metrics', message)) === 'taken';
  }

  async #post(path: string, message: object): Promise<'taken' | 'later' | 'refused'> {
    const { endpoint, headers } = this.#options;
    try {
      const response = await fetch(endpoint.replace(/\/$/, '') + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      this.#logChange(response.ok ? null : `status ${response.status}`, path);
      return response.ok ? 'taken' : retried.has(response.status) ? 'later' : 'refused';
    } catch (error) {
      this.#logChange(String(error), path);
      return 'later';
    }
  }

  /** Logs once when the collector begins to fail, and once when it accepts messages again. */
  #logChange(failure: string | null, path: string): void {
    if ((failure !== null) === this.#isFailing) return;
    this.#isFailing = failure !== null;
    this.#options.log(failure === null ? 'telemetry_taken_again' : 'telemetry_not_taken', { path, failure });
  }
}
