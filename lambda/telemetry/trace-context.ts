// The context of a trace, in the format of W3C Trace Context (w3.org/TR/trace-context), version 00.
import { randomBytes } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceID: string;
  /** 16 hexadecimal digits. */
  readonly spanID: string;
  readonly isSampled: boolean;
}

/** The context of a new span, in its parent's trace or a new one. @param share the share of new traces to keep */
export function newContext(parent: TraceContext | null, share: number): TraceContext {
  const spanID = randomBytes(8).toString('hex');
  if (parent !== null) return { ...parent, spanID };
  const traceID = randomBytes(16).toString('hex');
  // Decided by the random part of the id, like the sampler “traceidratio”, so that all processes decide alike.
  const isSampled = Number.parseInt(traceID.slice(-13), 16) / 2 ** 52 < share;
  return { traceID, spanID, isSampled };
}

export function traceparentOf({ traceID, spanID, isSampled }: TraceContext): string {
  return `00-${traceID}-${spanID}-${isSampled ? '01' : '00'}`;
}

/** Reads a traceparent of a row or a message. @returns null if it is missing or malformed, which is harmless */
export function readTraceparent(text: string | null | undefined): TraceContext | null {
  const found = /^00-([0-9a-f]{32})-([0-9a-f]{16})-0([01])$/.exec(text ?? '');
  if (found === null || /^0+$/.test(found[1]!) || /^0+$/.test(found[2]!)) return null;
  return { traceID: found[1]!, spanID: found[2]!, isSampled: found[3] === '1' };
}
