// Spans: the operations of this process within a trace. While telemetry is off, none are measured or kept.
import { AsyncLocalStorage } from 'node:async_hooks';
import { newContext, traceparentOf } from './trace-context.ts';
import type { TraceContext } from './trace-context.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;
export type SpanKind = 'internal' | 'server' | 'consumer' | 'client';

/** A span that has ended. Attributes have names of OpenTelemetry's semantic conventions, or begin with `loop`. */
export interface Span {
  readonly context: TraceContext;
  readonly parentSpanID: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly attributes: Attributes;
  /** Null: no error. */
  readonly errorType: string | null;
}

export interface OpenSpan {
  readonly context: TraceContext;
  /** @param more attributes that are only known at the end */
  end(errorType?: string | null, more?: Attributes): void;
}

export interface SpanSettings {
  /** The share of new traces that is kept, 0 to 1. */
  readonly share: number;
  readonly keep: (span: Span) => void;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

let settings: SpanSettings | null = null;
const active = new AsyncLocalStorage<TraceContext>();

/** Keeps spans from now on; null ends this. */
export function keepSpans(by: SpanSettings | null): void {
  settings = by;
}

/** Begins a span. @returns null while telemetry is off, or if the trace is not kept */
export function beginSpan(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  parent: TraceContext | null,
): OpenSpan | null {
  if (settings === null || parent?.isSampled === false) return null;
  const { share, keep, clock } = settings;
  const context = newContext(parent, share);
  const beganMs = clock();
  const end: OpenSpan['end'] = (errorType = null, more = {}) => {
    if (!context.isSampled) return;
    const parentSpanID = parent?.spanID ?? null;
    keep({
      context,
      parentSpanID,
      name,
      kind,
      beganMs,
      endedMs: clock(),
      errorType,
      attributes: { ...attributes, ...more, ...(errorType !== null && { 'error.type': errorType }) },
    });
  };
  return { context, end };
}

/** Does work within a span. Transactions and commands of the work become its children. */
export async function inSpan<Result>(span: OpenSpan | null, work: () => Promise<Result>): Promise<Result> {
  if (span === null) return work();
  try {
    const result = await active.run(span.context, work);
    span.end();
    return result;
  } catch (error) {
    span.end(errorTypeOf(error));
    throw error;
  }
}

/** The traceparent of the current span, for rows and messages; null if there is none that is kept. */
export function activeTraceparent(): string | null {
  if (settings === null) return null;
  const context = active.getStore();
  return context?.isSampled === true ? traceparentOf(context) : null;
}

export function errorTypeOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
