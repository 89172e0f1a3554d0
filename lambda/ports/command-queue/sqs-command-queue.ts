// Command queue in AWS: the outbox is relayed to SQS. Containers poll it; Lambda polls it for its functions.
import type { Message, SQSClientConfig } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { Pool } from 'pg';
import type { BusyLanes } from './busy-lanes.ts';
import { defaultBatchSize } from './command-queue.ts';
import type { CommandQueue, QueueLog } from './command-queue.ts';
import { queueNames, queuePolicies } from './queues.ts';
import type { QueueName } from './queues.ts';
import { deliverUntilAborted, ownerOf } from './delivery.ts';
import { attributesWith, traceAttribute } from '../../telemetry/traced-records.ts';
import { relayOutbox } from './outbox-relay.ts';
import type { RelayedRow } from './outbox-relay.ts';

export interface SQSCommandQueueOptions {
  readonly client?: SQSClientConfig;
  readonly pool: Pool;
  /**
   * URLs of the queues that this process relays to or consumes. Rows of other queues stay in the outbox for other
   * processes.
   */
  readonly queueURLs: Partial<Record<QueueName, string>>;
  readonly log: QueueLog;
}

/** Longest wait of ReceiveMessage (Amazon SQS developer guide, "Long polling"). */
const longPollSeconds = 20;
/**
 * SQS cannot be asked for some users' messages only. A message of a user with all lanes taken is held until a lane
 * becomes free, and put back after this time: one a second at most. Decision D130.
 */
const heldForMs = 1000;
const putBackForSeconds = 5;
/** Number of earlier deliveries of a message that was put back. */
const receivesAttribute = 'ReceivesBefore';

export function createSQSCommandQueue({ client = {}, pool, queueURLs, log }: SQSCommandQueueOptions): CommandQueue {
  let connected: ReturnType<typeof connect> | undefined;
  const connection = () => (connected ??= connect(client));
  const send = async (queue: QueueName, rows: readonly RelayedRow[]) => {
    const Entries = rows.map((row) => ({
      Id: row.id,
      MessageBody: row.body,
      // SQS serves the groups of a standard queue in fair turns. Decision D127.
      ...(row.user_id !== null && { MessageGroupId: row.user_id }),
      ...(row.traceparent !== null && {
        MessageAttributes: { [traceAttribute]: { DataType: 'String', StringValue: row.traceparent } },
      }),
    }));
    const { sqs, BatchRequestTooLong, SendMessageBatchCommand } = await connection();
    try {
      const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueURLs[queue], Entries }));
      return new Map(
        Failed.map(({ Id = '', Code = '', SenderFault = false }) => [Id, { code: Code, senderFault: SenderFault }]),
      );
    } catch (error) {
      if (!(error instanceof BatchRequestTooLong)) throw error;
      return new Map(rows.map((row) => [row.id, { code: error.name, senderFault: true }]));
    }
  };

  return {
    relay() {
      const queues = queueNames.filter((queue) => queueURLs[queue] !== undefined);
      return relayOutbox(pool, queues, send, log);
    },

    async consume(queue, handler, options) {
      const { signal, lanes, room, policy = queuePolicies[queue] } = options;
      const batchSize = lanes || room ? 1 : (options.batchSize ?? defaultBatchSize);
      const QueueUrl = queueURLs[queue];
      if (QueueUrl === undefined) throw new Error(`no queue URL was given for ${queue}`);
      const sdk = await connection();
      const { sqs, DeleteMessageBatchCommand, GetQueueAttributesCommand, ReceiveMessageCommand } = sdk;
      const { SendMessageBatchCommand } = sdk;
      let arn: string | undefined;

      const receive = async (busy: BusyLanes): Promise<SQSRecord[]> => {
        if (arn === undefined) {
          const attributes = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
          arn = (await sqs.send(attributes, { abortSignal: signal })).Attributes?.QueueArn;
        }
        const command = new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: batchSize,
          VisibilityTimeout: policy.visibilitySeconds,
          WaitTimeSeconds: longPollSeconds,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: [receivesAttribute, traceAttribute],
        });
        const { Messages = [] } = await sqs.send(command, { abortSignal: signal });
        const records = Messages.map((message) => recordOf(message, String(arn)));
        const leftNow = () => {
          const users = new Set<string | null>(busy.leftOut().userIDs);
          return records.filter((record) => users.has(ownerOf(record).userID));
        };
        if (leftNow().length > 0) await busy.untilNextEnds(AbortSignal.any([signal, AbortSignal.timeout(heldForMs)]));
        const left = leftNow();
        for (const record of left) await putBack(record);
        return records.filter((record) => !left.includes(record));
      };
      /** Sends a new message: making the old one visible again would use up a delivery. */
      const putBack = async (record: SQSRecord) => {
        const received = String(Number(record.attributes.ApproximateReceiveCount) - 1);
        const { MessageGroupId } = record.attributes;
        const traceparent = record.messageAttributes[traceAttribute]?.stringValue;
        const Entry = {
          Id: '0',
          MessageBody: record.body,
          DelaySeconds: putBackForSeconds,
          MessageAttributes: {
            [receivesAttribute]: { DataType: 'Number', StringValue: received },
            ...(traceparent !== undefined && { [traceAttribute]: { DataType: 'String', StringValue: traceparent } }),
          },
          ...(MessageGroupId !== undefined && { MessageGroupId }),
        };
        const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [Entry] }));
        // Otherwise it becomes visible again by itself.
        if (Failed.length === 0) await remove([record]);
      };
      const remove = async (records: readonly SQSRecord[]) => {
        const Entries = records.map((record, index) => ({ Id: String(index), ReceiptHandle: record.receiptHandle }));
        const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
        if (Failed.length > 0) log('commands_not_removed', { queue, codes: Failed.map((failure) => failure.Code) });
      };
      await deliverUntilAborted({ receive, remove }, handler, { ...options, queue, log });
    },
  };
}

/** Loads the SDK at its first use, as most requests send no command. */
async function connect(client: SQSClientConfig) {
  const sdk = await import('@aws-sdk/client-sqs');
  return { ...sdk, sqs: new sdk.SQSClient(client) };
}

/** Builds a record as the event source mapping of Lambda does. */
function recordOf(
  { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {}, MessageAttributes = {} }: Message,
  arn: string,
): SQSRecord {
  const receivedBefore = Number(MessageAttributes[receivesAttribute]?.StringValue ?? 0);
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: {
      ApproximateReceiveCount: String(receivedBefore + Number(Attributes.ApproximateReceiveCount)),
      SentTimestamp: Attributes.SentTimestamp ?? '',
      SenderId: Attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: Attributes.ApproximateFirstReceiveTimestamp ?? '',
      ...(Attributes.MessageGroupId !== undefined && { MessageGroupId: Attributes.MessageGroupId }),
    },
    messageAttributes: attributesWith(MessageAttributes[traceAttribute]?.StringValue),
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] ?? '',
  };
}
