// Dead letters in AWS: messages of the dead-letter queues.
import type { Message, SQSClientConfig } from '@aws-sdk/client-sqs';
import type { QueueName } from '../command-queue/queues.ts';
import type { DeadLetter, DeadLetters } from './dead-letters.ts';

type QueueURLs = Partial<Record<QueueName, string>>;

export interface SQSDeadLettersOptions {
  readonly client?: SQSClientConfig;
  /** URLs of the queues to send to, by name. */
  readonly queueURLs: QueueURLs;
  /** URLs of the dead-letter queues, by the same names. */
  readonly deadLetterURLs: QueueURLs;
}

/**
 * SQS gives and takes ten messages at a time. It may return none although it has some, so it is asked several times.
 */
const atOnce = 10;
const emptyAnswersMax = 3;
/** Seconds for which listed messages are hidden from other readers, so that each is listed once. */
const listedForSeconds = 10;
const requeuedForSeconds = 60;

export function createSQSDeadLetters({ client = {}, queueURLs, deadLetterURLs }: SQSDeadLettersOptions): DeadLetters {
  let connected: ReturnType<typeof connect> | undefined;
  const connection = () => (connected ??= connect(client));

  async function receive(queue: QueueName, most: number, hiddenForSeconds: number): Promise<Message[]> {
    const { sqs, ReceiveMessageCommand } = await connection();
    const found = new Map<string, Message>();
    for (let empty = 0; empty < emptyAnswersMax && found.size < most;) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: urlIn(deadLetterURLs, queue),
          MaxNumberOfMessages: Math.min(atOnce, most - found.size),
          VisibilityTimeout: hiddenForSeconds,
          MessageSystemAttributeNames: ['SentTimestamp'],
        }),
      );
      const fresh = Messages.filter(({ MessageId }) => !found.has(MessageId!));
      if (fresh.length === 0) empty++;
      for (const message of fresh) found.set(message.MessageId!, message);
    }
    return [...found.values()];
  }

  return {
    async list(queue, most) {
      return (await receive(queue, most, listedForSeconds)).map((message) => letterOf(queue, message));
    },

    async requeue(queue, ids, most) {
      const { sqs, SendMessageBatchCommand, DeleteMessageBatchCommand } = await connection();
      const found = await receive(queue, most, requeuedForSeconds);
      const wanted = found.filter(({ MessageId }) => ids === null || ids.includes(MessageId!));
      const sent: Message[] = [];
      for (let first = 0; first < wanted.length; first += atOnce) {
        const batch = wanted.slice(first, first + atOnce);
        const { Failed = [] } = await sqs.send(
          new SendMessageBatchCommand({
            QueueUrl: urlIn(queueURLs, queue),
            Entries: batch.map(({ Body }, index) => ({ Id: String(index), MessageBody: Body })),
          }),
        );
        const done = batch.filter((_, index) => !Failed.some(({ Id }) => Id === String(index)));
        if (done.length === 0) continue;
        await sqs.send(
          new DeleteMessageBatchCommand({
            QueueUrl: urlIn(deadLetterURLs, queue),
            Entries: done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
          }),
        );
        sent.push(...done);
      }
      return sent.map((message) => letterOf(queue, message));
    },
  };
}

/** Loads the client at its first use: few commands need it. */
async function connect(client: SQSClientConfig) {
  const { SQSClient, DeleteMessageBatchCommand, ReceiveMessageCommand, SendMessageBatchCommand } =
    await import('@aws-sdk/client-sqs');
  return { sqs: new SQSClient(client), DeleteMessageBatchCommand, ReceiveMessageCommand, SendMessageBatchCommand };
}

function urlIn(urls: QueueURLs, queue: QueueName): string {
  const url = urls[queue];
  if (url === undefined) throw new Error(`the queue ${queue} is not known here`);
  return url;
}

function letterOf(queue: QueueName, { MessageId, Body, Attributes }: Message): DeadLetter {
  return { id: MessageId!, queue, body: Body!, sentAt: new Date(Number(Attributes?.SentTimestamp ?? 0)) };
}
