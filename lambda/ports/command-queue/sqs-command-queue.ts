// Command queue in AWS: the outbox is relayed to SQS. Containers poll it; Lambda polls it for its functions.
import type { Message, SQSClientConfig } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { Pool } from 'pg';
import type { BusyLanes } from './busy-lanes.ts';
import { defaultBatchSize } from './command-queue.ts';
import type { CommandQueue, QueueLog } from './command-queue.ts';
import { queueNames, queuePolicies } from './queues.ts';
import type { QueueName } from './queues.ts';
import { deliverUntilAborted } from './delivery.ts';
import { factsOf, messageAttributeNames, messageAttributes, ownerOf, recordAttributes } from './message-attributes.ts';
import { traceAttribute } from '../../telemetry/traced-records.ts';
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
 * becomes free, and put back after this time: one receipt a second at most. Decision D130.
 */
const heldForMs = 1000;
const putBackForSeconds = 5;
/** Messages in a receipt while all users are left out who are not funded: others may be behind many of theirs. */
const mostReceived = 10;

export function createSQSCommandQueue({ client = {}, pool, queueURLs, log }: SQSCommandQueueOptions): CommandQueue {
  let connected: ReturnType<typeof connect> | undefined;
  const connection = () => (connected ??= connect(client));
  const send = async (queue: QueueName, rows: readonly RelayedRow[]) => {
    const Entries = rows.map((row) => ({
      Id: row.id,
      MessageBody: row.body,
      // SQS serves the groups of a standard queue in fair turns. Decision D127.
      ...(row.user_id !== null && { MessageGroupId: row.user_id }),
      MessageAttributes: messageAttributes({
        traceparent: row.traceparent,
        isUnfunded: row.is_unfunded,
        receivesBefore: 0,
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
          MaxNumberOfMessages: busy.leftOut().unfunded ? mostReceived : batchSize,
          VisibilityTimeout: policy.visibilitySeconds,
          WaitTimeSeconds: longPollSeconds,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: messageAttributeNames,
        });
        const { Messages = [] } = await sqs.send(command, { abortSignal: signal });
        const records = Messages.map((message) => recordOf(message, String(arn)));
        const leftNow = () => {
          const { userIDs, unfunded } = busy.leftOut();
          return records.filter((record) => {
            const owner = ownerOf(record);
            return (unfunded && owner.isUnfunded) || (owner.userID !== null && userIDs.includes(owner.userID));
          });
        };
        let left = leftNow();
        if (left.length > 0 && left.length === records.length) {
          await busy.untilNextEnds(AbortSignal.any([signal, AbortSignal.timeout(heldForMs)]));
          left = leftNow();
        }
        const others = records.filter((record) => !left.includes(record));
        await putBack(left, putBackForSeconds);
        await putBack(others.slice(batchSize), 0);
        return others.slice(0, batchSize);
      };
      /** Sends new messages: making the old ones visible again would use up a delivery. */
      const putBack = async (records: readonly SQSRecord[], DelaySeconds: number) => {
        if (records.length === 0) return;
        const Entries = records.map((record, index) => ({
          Id: String(index),
          MessageBody: record.body,
          DelaySeconds,
          MessageAttributes: messageAttributes({
            traceparent: record.messageAttributes[traceAttribute]?.stringValue ?? null,
            isUnfunded: ownerOf(record).isUnfunded,
            receivesBefore: Number(record.attributes.ApproximateReceiveCount) - 1,
          }),
          ...(record.attributes.MessageGroupId !== undefined && { MessageGroupId: record.attributes.MessageGroupId }),
        }));
        const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
        const failed = new Set(Failed.map(({ Id }) => Id));
        // Those that failed become visible again by themselves.
        const sent = records.filter((_, index) => !failed.has(String(index)));
        if (sent.length > 0) await remove(sent);
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
  const facts = factsOf(MessageAttributes);
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: {
      ApproximateReceiveCount: String(facts.receivesBefore + Number(Attributes.ApproximateReceiveCount)),
      SentTimestamp: Attributes.SentTimestamp ?? '',
      SenderId: Attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: Attributes.ApproximateFirstReceiveTimestamp ?? '',
      ...(Attributes.MessageGroupId !== undefined && { MessageGroupId: Attributes.MessageGroupId }),
    },
    messageAttributes: recordAttributes(facts),
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] ?? '',
  };
}
