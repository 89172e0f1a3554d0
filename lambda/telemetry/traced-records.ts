// Commands of queues as spans and metrics. Each continues the trace of its sender.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { measures } from './measures.ts';
import { beginSpan, inSpan } from './spans.ts';
import { readTraceparent } from './trace-context.ts';

type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** The message attribute with the trace, as in OpenTelemetry's propagators for SQS. */
export const traceAttribute = 'traceparent';

/** Traces a handler. A batch joins the trace of its first command that has one; nearly all have one command. */
export function tracedRecords(queue: string, handler: Handler): Handler {
  return async (event) => {
    const parent = event.Records.map(parentOf).find((context) => context !== null) ?? null;
    const attributes = { 'messaging.operation.name': 'process', 'messaging.destination.name': queue };
    const beganMs = performance.now();
    const span =
      parent &&
      beginSpan(`process ${queue}`, 'consumer', { ...attributes, 'messaging.operation.type': 'process' }, parent);
    try {
      return await inSpan(span, () => handler(event));
    } finally {
      measures.record('messaging.process.duration', (performance.now() - beganMs) / 1000, attributes);
    }
  };
}

function parentOf({ messageAttributes }: SQSRecord) {
  return readTraceparent(messageAttributes?.[traceAttribute]?.stringValue);
}
