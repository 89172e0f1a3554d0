// The calls that a deployable's adapters make: real SDK clients call a local server, which records them.
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import type { Pool } from 'pg';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { createSQSCommandQueue } from '../../lambda/ports/command-queue/sqs-command-queue.ts';
import { createSQSDeadLetters } from '../../lambda/ports/dead-letters/sqs-dead-letters.ts';
import type { Receiver } from '../../lambda/ports/mailer/mailer.ts';
import type { PausableMailSets } from '../../lambda/ports/mailer/ses-mailer.ts';
import { createSESMailer } from '../../lambda/ports/mailer/ses-mailer.ts';
import { createS3ObjectStore } from '../../lambda/ports/object-store/s3-object-store.ts';
import { ObjectNotFound } from '../../lambda/ports/object-store/object-store.ts';
import type { ObjectStore } from '../../lambda/ports/object-store/object-store.ts';
import { createSTSRoleSessions } from '../../lambda/ports/role-sessions/sts-role-sessions.ts';
import { createSchedulerTimers } from '../../lambda/ports/timers/scheduler-timers.ts';
import { rightsNeededFor } from './aws-request.ts';
import type { AwsRequest, NeededRight } from './aws-request.ts';

/** Values of a deployable's environment variables for its adapters. */
export interface AdapterSurroundings {
  /** The resource names in those variables. IAM rights name the same resources. */
  readonly bucket: string;
  readonly queueURLs: Partial<Record<QueueName, string>>;
  readonly consumes: readonly QueueName[];
  /** Dead letter queues that the deployable lists and empties. */
  readonly deadLetterURLs: Partial<Record<QueueName, string>>;
  readonly timers: { readonly group: string; readonly roleARN: string; readonly queueARN: string } | null;
  readonly mailFrom: string | null;
  /** The configuration sets of mails that SES can pause. */
  readonly mailSets: PausableMailSets;
  /** The role in another account that the deployable assumes; null if it assumes none. */
  readonly sourceRoleARN: string | null;
  /** The deployable's use of the object store; null if it uses none. */
  readonly media: MediaUse | null;
}

export type MediaUse = 'takes in' | 'imports' | 'prepares' | 'reads' | 'contributes';

const part = Buffer.from('part');
const video = { contentType: 'video/mp4' };
const upload = 'uploads/ID';
const rendition = 'renditions/ID';
const preview = 'previews/ID';
/** The one object that the stand-in lacks. It also answers HEAD as if the object did not exist. */
const lostRendition = 'renditions/lost';

/** Calls of the port that the code of surfaces, import workers and agents makes, failures included. */
const mediaUses: Readonly<Record<MediaUse, (objects: ObjectStore) => Promise<void>>> = {
  async 'takes in'(objects) {
    const limits = { contentType: 'video/mp4', contentLength: 4, maxBytes: 4, expiresInSeconds: 60 };
    const { url, headers } = await objects.presignPut(upload, limits);
    await fetch(url, { method: 'PUT', headers, body: 'data' });
    await objects.head(upload);
    // A picture of the rendition.
    await fetch(await objects.presignGet(rendition, { expiresInSeconds: 60 }));
    await objects.head('health/probe');
    const id = await objects.createMultipart(upload, { ...video, hasSHA256: true });
    const ofPart = { partNumber: 1, contentLength: 4, sha256: null, expiresInSeconds: 60 };
    await fetch((await objects.presignPart(upload, id, ofPart)).url, { method: 'PUT', body: 'data' });
    await objects.completeMultipart(upload, id, await objects.listParts(upload, id));
    await objects.abortMultipart(upload, id);
    // A piece of a preview, made from the prepared rendition, or from a contributor's segment.
    await buffer(await objects.read(rendition));
    await buffer(await objects.read('live/ID'));
    await objects.write(preview, part, video);
    await fetch(await objects.presignGet(preview, { expiresInSeconds: 60 }));
    await objects.delete(preview);
    await fetch(await objects.presignGet(upload, { expiresInSeconds: 60, downloadName: 'clip.mp4' }));
  },
  async reads(objects) {
    await text(await objects.read(upload));
  },
  async contributes(objects) {
    await objects.write('live/ID', part, video);
  },
  async imports(objects) {
    await objects.head(upload);
    // A segment of a contributor, which is recorded.
    await buffer(await objects.read('live/ID'));
    const id = await objects.createMultipart(upload, video);
    const stored = await objects.putPart(upload, id, 1, part);
    await objects.listParts(upload, id);
    await objects.completeMultipart(upload, id, [stored]);
    await objects.abortMultipart(upload, id);
    await objects.delete(upload);
  },
  async prepares(objects) {
    await fetch(await objects.presignGet(upload, { expiresInSeconds: 60 }));
    await buffer(await objects.read(upload));
    await objects.write(rendition, part, video);
    // A rendition larger than a part is written in parts, which are aborted if the write fails.
    const id = await objects.createMultipart(rendition, video);
    await objects.completeMultipart(rendition, id, [await objects.putPart(rendition, id, 1, part)]);
    await objects.abortMultipart(rendition, id);
    await buffer(await objects.read(rendition));
    // A segment of a contributor, who has taken a stream over.
    await buffer(await objects.read('live/ID'));
    // A missing segment is prepared again.
    await objects.read(lostRendition).catch(onlyIf(ObjectNotFound));
    await objects.delete(rendition);
    // A piece of an encoder's preview, while a user watches it.
    await objects.write(preview, part, video);
    await objects.delete(preview);
    await objects.abortMultipart(upload, id);
    await objects.delete(upload);
  },
};

/** @param pool of a migrated database, whose outbox is empty */
export async function adapterCalls(pool: Pool, surroundings: AdapterSurroundings): Promise<readonly NeededRight[]> {
  const { bucket, queueURLs, consumes, deadLetterURLs, timers, mailFrom, mailSets, media, sourceRoleARN } =
    surroundings;
  const needed: NeededRight[] = [];
  const aws = await startStandIn((request, status) => needed.push(...rightsNeededFor(request, status)));
  const client = {
    endpoint: aws.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  };
  try {
    if (media) await mediaUses[media](createS3ObjectStore({ bucket, client: { ...client, forcePathStyle: true } }));

    // The URLs of queues name AWS hosts, and the client would call those.
    const sqs = { ...client, useQueueUrlAsEndpoint: false };
    const queue = createSQSCommandQueue({ client: sqs, pool, queueURLs, log: () => {} });
    for (const name of Object.keys(queueURLs) as QueueName[])
      await pool.query(`insert into outbox (queue, body) values ($1, '{}')`, [name]);
    await queue.relay();
    for (const name of consumes) {
      const enough = new AbortController();
      const handler = async () => {
        enough.abort();
        return { batchItemFailures: [] };
      };
      await queue.consume(name, handler, { signal: enough.signal, batchSize: 1 });
    }

    const deadLetters = createSQSDeadLetters({ client: sqs, queueURLs, deadLetterURLs });
    for (const name of Object.keys(deadLetterURLs) as QueueName[]) {
      await deadLetters.list(name, 1);
      if (queueURLs[name] !== undefined) await deadLetters.requeue(name, null, 1);
    }

    if (timers) {
      const { group: groupName, roleARN, queueARN } = timers;
      const scheduler = new SchedulerClient(client);
      // The first call is refused because the schedule exists, and becomes an update.
      await createSchedulerTimers({ scheduler, groupName, roleARN, queueARN }).arm('str', new Date(), {});
    }
    if (sourceRoleARN !== null) {
      const roles = createSTSRoleSessions('arn:aws:iam::111111111111:root', client);
      const { signal } = new AbortController();
      await roles.open({ roleARN: sourceRoleARN, externalID: 'ID', bucket: 'of-a-user' }, signal);
    }
    if (mailFrom !== null) {
      const mailer = createSESMailer(new SESv2Client(client), mailFrom, mailSets);
      const mail = { to: 'somebody@example.com', subject: 'subject', text: 'text', html: '<p>text</p>' };
      for (const receiver of ['funded', ...Object.keys(mailSets)] as Receiver[])
        await mailer.send({ ...mail, receiver });
    }
    return needed;
  } finally {
    aws.close();
  }
}

/** Answers each API with a minimal answer (examples of the API's reference). */
async function startStandIn(onRequest: (request: AwsRequest, status: number) => void) {
  const answerOne = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '/', headers } = request;
    const body = await text(request);
    const isForRole = body.startsWith('Action=AssumeRole') || body.includes('&Action=AssumeRole');
    const [status, answer] = isForRole ? roleAnswer : answerTo(method, url, String(headers['x-amz-target']));
    onRequest({ method, url, headers, body }, status);
    end(response, status, answer);
  };
  // An unreadable request gets no answer, which the client then reports.
  const server = createServer((request, response) => {
    answerOne(request, response).catch((error: unknown) => response.destroy(error as Error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const emptyMessage = {
  MessageId: '1',
  ReceiptHandle: '1',
  Body: '{}',
  MD5OfBody: createHash('md5').update('{}').digest('hex'),
};
const answersByTarget: Readonly<Record<string, object>> = {
  'AmazonSQS.SendMessageBatch': { Successful: [], Failed: [] },
  'AmazonSQS.DeleteMessageBatch': { Successful: [], Failed: [] },
  'AmazonSQS.GetQueueAttributes': { Attributes: { QueueArn: 'arn:aws:sqs:us-east-1:111111111111:queue' } },
  'AmazonSQS.ReceiveMessage': { Messages: [emptyMessage] },
};

const roleAnswer = [
  200,
  [
    '<AssumeRoleResponse><AssumeRoleResult><Credentials>',
    '<AccessKeyId>1</AccessKeyId><SecretAccessKey>1</SecretAccessKey><SessionToken>1</SessionToken>',
    '</Credentials></AssumeRoleResult></AssumeRoleResponse>',
  ].join(''),
] as const;

function answerTo(method: string, url: string, target: string): readonly [status: number, body: string] {
  if (answersByTarget[target]) return [200, JSON.stringify(answersByTarget[target])];
  if (url.startsWith('/v2/email')) return [200, '{"MessageId":"1"}'];
  if (url.startsWith('/schedules/'))
    return method === 'POST' ? [409, '{"Message":"there"}'] : [200, '{"ScheduleArn":"arn"}'];
  if (method === 'GET' && url.includes(lostRendition)) return [404, '<Error><Code>NoSuchKey</Code></Error>'];
  if (method === 'HEAD') return [404, ''];
  if (method === 'DELETE') return [204, ''];
  if (url.includes('uploads=') || url.endsWith('?uploads'))
    return [200, '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>'];
  if (method === 'POST')
    return [200, '<CompleteMultipartUploadResult><ETag>"1"</ETag></CompleteMultipartUploadResult>'];
  return [200, url.includes('uploadId=') && method === 'GET' ? '<ListPartsResult></ListPartsResult>' : ''];
}

function end(response: ServerResponse, status: number, body: string): void {
  if (status === 409) response.setHeader('x-amzn-errortype', 'ConflictException');
  response.setHeader('etag', '"1"');
  response.writeHead(status);
  response.end(body);
}

function onlyIf(kind: new (...given: never[]) => Error): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof kind)) throw error;
  };
}
