// Attributes of messages: the trace, whether the user is funded, and deliveries before a message was put back.
import type { SQSRecord } from 'aws-lambda';
import type { WorkOwner } from '../../domain/fleet/lanes.ts';
import { traceAttribute } from '../../telemetry/traced-records.ts';

/** Present if the user of the work is not funded. */
const unfundedAttribute = 'Unfunded';
/** Number of earlier deliveries of a message that was put back. */
const receivesAttribute = 'ReceivesBefore';
export const messageAttributeNames = [traceAttribute, unfundedAttribute, receivesAttribute];

export interface MessageFacts {
  readonly traceparent: string | null;
  readonly isUnfunded: boolean;
  /** Deliveries before this message was put back. */
  readonly receivesBefore: number;
}

type ReadableAttributes = Readonly<Record<string, { readonly StringValue?: string | undefined }>>;

/** The attributes of a message of SQS; undefined: it has none. */
export function messageAttributes({ traceparent, isUnfunded, receivesBefore }: MessageFacts) {
  const attributes = {
    ...(traceparent !== null && { [traceAttribute]: { DataType: 'String', StringValue: traceparent } }),
    ...(isUnfunded && { [unfundedAttribute]: { DataType: 'String', StringValue: 'true' } }),
    ...(receivesBefore > 0 && {
      [receivesAttribute]: { DataType: 'Number', StringValue: String(receivesBefore) },
    }),
  };
  return Object.keys(attributes).length > 0 ? attributes : undefined;
}

/** The facts in a message of SQS. */
export function factsOf(attributes: ReadableAttributes): MessageFacts {
  return {
    traceparent: attributes[traceAttribute]?.StringValue ?? null,
    isUnfunded: attributes[unfundedAttribute] !== undefined,
    receivesBefore: Number(attributes[receivesAttribute]?.StringValue ?? 0),
  };
}

/** The attributes of a record, as a handler gets them. */
export function recordAttributes(facts: Omit<MessageFacts, 'receivesBefore'>): SQSRecord['messageAttributes'] {
  const attributes = Object.entries(messageAttributes({ ...facts, receivesBefore: 0 }) ?? {});
  return Object.fromEntries(
    attributes.map(([name, { StringValue }]) => [name, { dataType: 'String', stringValue: StringValue }]),
  );
}

/** Owner of a record's work. */
export function ownerOf({ attributes, messageAttributes: own }: SQSRecord): WorkOwner {
  return { userID: attributes.MessageGroupId ?? null, isUnfunded: own[unfundedAttribute] !== undefined };
}
