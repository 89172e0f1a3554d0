// The metrics of this process: counted when something happens, or observed when they are read.
import { durationBounds, instruments } from './instruments.ts';
import type { Instrument, InstrumentName } from './instruments.ts';
import type { Attributes } from './spans.ts';

/** The value of a histogram. */
export interface Distribution {
  count: number;
  sum: number;
  /** Counts of values up to each of `durationBounds`, and above the last. */
  readonly buckets: number[];
}

export interface Point {
  readonly attributes: Attributes;
  readonly value: number | Distribution;
}

interface OpenPoint extends Point {
  value: number | Distribution;
}

export interface Measured extends Instrument {
  readonly points: readonly Point[];
}

/** Most points of a metric. Further ones are counted together, as OpenTelemetry specifies. */
const mostPoints = 500;
const overflow: Attributes = { 'otel.metric.overflow': true };

/** Reports the current values of metrics. */
export type Observe = (report: (name: InstrumentName, value: number, attributes?: Attributes) => void) => void;

export class Measures {
  readonly #points = new Map<string, Map<string, OpenPoint>>();
  readonly #observers = new Set<Observe>();

  add(name: InstrumentName, value: number, attributes: Attributes = {}): void {
    const point = this.#point(name, attributes, () => 0);
    point.value = (point.value as number) + value;
  }

  /** @param seconds the duration of one operation */
  record(name: InstrumentName, seconds: number, attributes: Attributes = {}): void {
    const empty = () => ({ count: 0, sum: 0, buckets: Array.from({ length: durationBounds.length + 1 }, () => 0) });
    const distribution = this.#point(name, attributes, empty).value as Distribution;
    distribution.count += 1;
    distribution.sum += seconds;
    const index = durationBounds.findIndex((bound) => seconds <= bound);
    distribution.buckets[index === -1 ? durationBounds.length : index]! += 1;
  }

  /** Calls the observer whenever the metrics are read. @returns a function that removes it */
  observe(observer: Observe): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** The current values of all metrics. Observed values replace earlier ones. */
  read(): Measured[] {
    for (const { name, kind } of instruments) if (kind === 'sum' || kind === 'gauge') this.#points.delete(name);
    for (const observer of this.#observers)
      observer((name, value, attributes = {}) => void (this.#point(name, attributes, () => 0).value = value));
    return instruments.flatMap((instrument) => {
      const points = [...(this.#points.get(instrument.name)?.values() ?? [])];
      return points.length === 0 ? [] : { ...instrument, points };
    });
  }

  #point(name: InstrumentName, attributes: Attributes, begin: () => number | Distribution): OpenPoint {
    let points = this.#points.get(name);
    if (!points) this.#points.set(name, (points = new Map()));
    const key = JSON.stringify(attributes);
    const found = points.get(key);
    if (found) return found;
    if (points.size >= mostPoints && attributes !== overflow) return this.#point(name, overflow, begin);
    const point = { attributes, value: begin() };
    points.set(key, point);
    return point;
  }
}

/** The metrics of this process. */
export const measures = new Measures();
