// Commands of queues as spans and measures: each goes on with the trace of whoever has sent it.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { measures } from './measures.ts';
import { beginSpan, inSpan } from './spans.ts';
import { readTraceparent } from './trace-context.ts';

type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** The name of the attribute of messages, as OpenTelemetry's propagators for SQS have it. */
export const traceAttribute = 'traceparent';

/** A batch is a part of the trace of its first command that has one: nearly all are of one command. */
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

/** The attributes of a record that has this traceparent. */
export function attributesWith(traceparent: string | null | undefined): SQSRecord['messageAttributes'] {
  return traceparent ? { [traceAttribute]: { dataType: 'String', stringValue: traceparent } } : {};
}
