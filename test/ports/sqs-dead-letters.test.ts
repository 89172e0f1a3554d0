// Dead commands in AWS: all are found although SQS returns a few at a time, and none is deleted before its resend.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSQSDeadLetters } from '../../lambda/ports/dead-letters/sqs-dead-letters.ts';
import type { DeadLetters } from '../../lambda/ports/dead-letters/dead-letters.ts';

const live = 'https://sqs.us-east-1.amazonaws.com/123456789012/media';
const dead = `${live}-dead`;

let server: Server;
let deadLetters: DeadLetters;
/** Bodies of messages by queue. Received ones are hidden, and stay until they are deleted. */
let queues: Record<string, string[]>;
let hidden: Set<string>;
/** Bodies that the queue refuses. */
let refused: Set<string>;

beforeEach(async () => {
  queues = { [live]: [], [dead]: Array.from({ length: 23 }, (_, index) => `{"n":${index}}`) };
  hidden = new Set();
  refused = new Set();
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const action = String(request.headers['x-amz-target']).split('.')[1]!;
      response.end(JSON.stringify(answerTo(action, JSON.parse(body))));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  deadLetters = createSQSDeadLetters({
    client: {
      endpoint: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      useQueueUrlAsEndpoint: false,
      md5: false,
    },
    queueURLs: { media: live },
    deadLetterURLs: { media: dead },
  });
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

interface Input {
  readonly QueueUrl: string;
  readonly MaxNumberOfMessages: number;
  readonly Entries: readonly { readonly Id: string; readonly MessageBody: string; readonly ReceiptHandle: string }[];
}

function answerTo(action: string, { QueueUrl, MaxNumberOfMessages, Entries }: Input): object {
  const queue = queues[QueueUrl]!;
  if (action === 'ReceiveMessage') {
    const bodies = queue.filter((body) => !hidden.has(body)).slice(0, Math.min(MaxNumberOfMessages, 4));
    for (const body of bodies) hidden.add(body);
    return {
      Messages: bodies.map((Body) => ({
        MessageId: `m${Body}`,
        ReceiptHandle: Body,
        Body,
        Attributes: { SentTimestamp: '5' },
      })),
    };
  }
  if (action === 'SendMessageBatch') {
    const taken = Entries.filter(({ MessageBody }) => !refused.has(MessageBody));
    queue.push(...taken.map(({ MessageBody }) => MessageBody));
    const failed = Entries.filter(({ MessageBody }) => refused.has(MessageBody));
    return { Successful: [], Failed: failed.map(({ Id }) => ({ Id, Code: 'x', SenderFault: false })) };
  }
  const gone = new Set(Entries.map(({ ReceiptHandle }) => ReceiptHandle));
  queues[QueueUrl] = queue.filter((body) => !gone.has(body));
  return { Successful: [], Failed: [] };
}

test('all are listed, up to what was asked for, and stay', async () => {
  expect(await deadLetters.list('media', 10)).toHaveLength(10);
  hidden.clear();
  const all = await deadLetters.list('media', 100);
  expect(new Set(all.map(({ body }) => body)).size).toBe(23);
  expect(all[0]).toMatchObject({ queue: 'media', sentAt: new Date(5) });
  expect(queues[dead]).toHaveLength(23);
});

test('all are sent again, and those that the queue does not take stay', async () => {
  refused.add('{"n":3}').add('{"n":22}');
  expect(await deadLetters.requeue('media', null, 100)).toHaveLength(21);
  expect(queues[dead]).toEqual(['{"n":3}', '{"n":22}']);
  expect(queues[live]).toHaveLength(21);
});

test('one is sent again by its id, and all others stay', async () => {
  expect(await deadLetters.requeue('media', ['m{"n":7}'], 100)).toMatchObject([{ body: '{"n":7}' }]);
  expect(queues[live]).toEqual(['{"n":7}']);
  expect(queues[dead]).toHaveLength(22);
});
