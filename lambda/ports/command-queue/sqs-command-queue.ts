// The command queue in AWS: the outbox is relayed to SQS. Containers poll it; Lambda polls it for its functions.
import type { Message, SQSClientConfig } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { Pool } from 'pg';
import { defaultBatchSize } from './command-queue.ts';
import type { CommandQueue, QueueLog } from './command-queue.ts';
import { queueNames, queuePolicies } from './queues.ts';
import type { QueueName } from './queues.ts';
import { deliverUntilAborted } from './delivery.ts';
import { relayOutbox } from './outbox-relay.ts';
import type { RelayedRow } from './outbox-relay.ts';

export interface SQSCommandQueueOptions {
  readonly client?: SQSClientConfig;
  readonly pool: Pool;
  /**
   * The URLs of the queues that this process relays to or consumes. Rows of other queues stay in the outbox, for other
   * processes.
   */
  readonly queueURLs: Partial<Record<QueueName, string>>;
  readonly log: QueueLog;
}

/** The longest that ReceiveMessage waits (Amazon SQS developer guide, "Long polling"). */
const longPollSeconds = 20;

export function createSQSCommandQueue({ client = {}, pool, queueURLs, log }: SQSCommandQueueOptions): CommandQueue {
  let connected: ReturnType<typeof connect> | undefined;
  const connection = () => (connected ??= connect(client));
  const send = async (queue: QueueName, rows: readonly RelayedRow[]) => {
    const Entries = rows.map((row) => ({
      Id: row.id,
      MessageBody: row.body,
      // SQS serves the groups of a standard queue in fair turns.
      ...(row.user_id !== null && { MessageGroupId: row.user_id }),
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

    async consume(queue, handler, { signal, batchSize = defaultBatchSize, policy = queuePolicies[queue] }) {
      const QueueUrl = queueURLs[queue];
      if (QueueUrl === undefined) throw new Error(`no queue URL was given for ${queue}`);
      const { sqs, DeleteMessageBatchCommand, GetQueueAttributesCommand, ReceiveMessageCommand } = await connection();
      let arn: string | undefined;

      const receive = async (): Promise<SQSRecord[]> => {
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
        });
        const { Messages = [] } = await sqs.send(command, { abortSignal: signal });
        return Messages.map((message) => recordOf(message, String(arn)));
      };
      const remove = async (records: readonly SQSRecord[]) => {
        const Entries = records.map((record, index) => ({ Id: String(index), ReceiptHandle: record.receiptHandle }));
        const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
        if (Failed.length > 0) log('commands_not_removed', { queue, codes: Failed.map((failure) => failure.Code) });
      };
      await deliverUntilAborted({ receive, remove }, handler, { queue, signal, log });
    },
  };
}

/** Loads the SDK when it is first used, as most requests send no command. */
async function connect(client: SQSClientConfig) {
  const sdk = await import('@aws-sdk/client-sqs');
  return { ...sdk, sqs: new sdk.SQSClient(client) };
}

/** Makes a record as the event source mapping of Lambda does. */
function recordOf(
  { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} }: Message,
  arn: string,
): SQSRecord {
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: {
      ApproximateReceiveCount: Attributes.ApproximateReceiveCount ?? '',
      SentTimestamp: Attributes.SentTimestamp ?? '',
      SenderId: Attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: Attributes.ApproximateFirstReceiveTimestamp ?? '',
    },
    messageAttributes: {},
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] ?? '',
  };
}
