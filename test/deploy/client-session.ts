// A client's use of the deployed API, and the effects that must follow behind the API.
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { createLoop, until, uploadFile } from '../support/local-run.ts';
import type { ApiClient } from '../support/local-run.ts';
import { connectMcpClient } from '../support/mcp-clients.ts';
import { mediaSample } from '../support/media-samples.ts';
import type { EmulatedAccount } from './emulated-account.ts';

/** An unreachable destination: its host does not exist. */
export const rtmpTarget = { rtmpURL: 'rtmp://live.example.com/app', streamKey: 'key-of-the-test' };
/** Enough time for the sweep that sets the timer: it runs every minute, and here up to ten seconds late. */
const scheduleAheadMs = 75_000;

/** Uploads a file and creates a stream that plays it, which needs a media worker. @returns the id of the stream */
export async function prepareStream(api: ApiClient): Promise<string> {
  const uploadID = await uploadFile(api, await mediaSample('plain.mp4'), 'video/mp4');
  const { probeState, durationSeconds, videoCodec, audioCodec } = await api('GET', `/uploads/${uploadID}`);
  assert.deepEqual(
    { probeState, durationSeconds, videoCodec, audioCodec },
    { probeState: 'completed', durationSeconds: 2, videoCodec: 'h264', audioCodec: 'aac' },
  );

  const streamID = await createLoop(api, [uploadID], rtmpTarget);
  const [playlistID] = (await api('GET', `/streams/${streamID}`)).playlistIDs;
  await api('POST', `/playlists/${playlistID}/publish`);
  const published = async () => (await api('GET', `/playlists/${playlistID}`)).publishStatus;
  await until(async () => (await published()) !== 'PREPARING');
  assert.equal(await published(), 'IDLE');
  return streamID;
}

/** Asserts that the GraphQL function shows a stream with its related resources. */
export async function assertSeenByFrontEnds(graphqlURL: string, apiKey: string, streamID: string): Promise<void> {
  const query =
    'query($id: ID!) { getStream(id: $id) { ' +
    'id destination { rtmpURL } playlists { draft { items { upload { videoCodec } } } } ' +
    '} }';
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables: { id: streamID } });
  const response = await fetch(graphqlURL, { method: 'POST', headers, body });
  const getStream = {
    id: streamID,
    destination: { rtmpURL: rtmpTarget.rtmpURL },
    playlists: [{ draft: { items: [{ upload: { videoCodec: 'h264' } }] } }],
  };
  assert.deepEqual(await response.json(), { data: { getStream } });
}

/** Asserts that a signed URL accepts only the announced bytes. */
export async function assertOtherBytesRefused(api: ApiClient): Promise<void> {
  const { id } = await api('POST', '/uploads', { name: 'announced.mp4', mimeType: 'video/mp4', fileSize: 4 });
  const { url, headers } = await api('POST', `/uploads/${id}/upload-url`);
  const put = async (body: string, changed = {}) =>
    (await fetch(url, { method: 'PUT', headers: { ...headers, ...changed }, body })).status;
  const statuses = [await put('12345'), await put('1234', { 'content-type': 'text/html' }), await put('1234')];
  assert.deepEqual(statuses, [403, 403, 200]);
}

/** Starts a stream. @returns its id */
export async function startStream(api: ApiClient, streamID: string): Promise<string> {
  assert.equal((await api('POST', `/streams/${streamID}/start`)).state, 'activating');
  return streamID;
}

/** Stops streams, and waits until they have stopped: the one later agent has no room for many. */
export async function stopStreams(api: ApiClient, streamIDs: readonly string[]): Promise<void> {
  for (const id of streamIDs) {
    await api('POST', `/streams/${id}/stop`);
    await until(async () => (await api('GET', `/streams/${id}`)).state === 'stopped');
  }
}

/** Asserts that an AI client sees a stream through the MCP function, behind the same API. */
export async function assertSeenByAIClients(mcpURL: string, apiKey: string, streamID: string): Promise<void> {
  const client = await connectMcpClient('v2, negotiating', mcpURL, { headers: { 'x-api-key': apiKey } });
  const { structuredContent } = await client.callTool('get_stream', { id: streamID });
  assert.deepEqual([client.protocolVersion, structuredContent.state], ['2026-07-28', 'activating']);
  await client.close();
}

/** Takes the next command from a queue, as an agent would, and asserts that it is about this stream. */
export async function takePublishCommand(
  { clientConfig }: EmulatedAccount,
  QueueUrl: string,
  streamID: string,
): Promise<void> {
  const sqs = new SQSClient(clientConfig);
  const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
  assert.deepEqual(JSON.parse(message?.Body ?? 'null'), { streamID });
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
}

/**
 * Creates a webhook. The API refuses local addresses here, and this name never resolves (RFC 2606).
 * @returns the id of the webhook
 */
export async function createWebhook(api: ApiClient): Promise<string> {
  return (await api('POST', '/webhooks', { url: 'https://hooks.invalid/', events: ['stream.state_changed'] })).id;
}

/**
 * Resolves when an event was written, relayed and received by the function, whose delivery failed only because of the
 * webhook's name.
 */
export async function webhookAttempted(api: ApiClient, id: string): Promise<void> {
  const last = async () => (await api('GET', `/webhooks/${id}/deliveries`)).data.at(-1);
  await until(async () => (await last())?.failure != null);
  const { eventType, state, responseStatus, failure } = await last();
  assert.deepEqual([eventType, state, responseStatus], ['stream.state_changed', 'pending', null]);
  // Without a resolver, the name cannot be reported as missing.
  assert.ok(['name_not_found', 'unreachable'].includes(failure.code), failure.code);
}

export interface ScheduledStream {
  readonly id: string;
  readonly startAt: Date;
}

/** Schedules a stream for a time soon after now. */
export async function scheduleStream(api: ApiClient, id: string): Promise<ScheduledStream> {
  const startAt = new Date(Date.now() + scheduleAheadMs);
  assert.equal((await api('POST', `/streams/${id}/schedule`, { scheduleStartAt: startAt })).state, 'scheduled');
  return { id, startAt };
}

/** Resolves when the group has a schedule: then a rule of EventBridge has called the sweep. */
export async function timerArmed(account: EmulatedAccount, groupName: string): Promise<void> {
  await until(async () => (await countSchedules(account, groupName)) === 1);
}

/**
 * Resolves when the schedule has sent its message to the queue, the queue has called the job, and the job has moved the
 * stream.
 */
export async function timerFired(
  account: EmulatedAccount,
  groupName: string,
  jobLogGroup: string,
  api: ApiClient,
  { id, startAt }: ScheduledStream,
): Promise<void> {
  const read = () => api('GET', `/streams/${id}`);
  // Each read of the stream invokes a function, and nothing changes before the start time.
  await setTimeout(startAt.getTime() - Date.now());
  await until(async () => (await read()).state !== 'scheduled');
  const { state, transitions } = await read();
  assert.deepEqual([state, transitions[0].cause], ['activating', 'schedule_start']);
  assert.ok(new Date(transitions[0].at) >= startAt, 'the stream was started early');
  await until(async () => (await countInvocations(account, jobLogGroup, startAt)) > 0);
  await until(async () => (await countSchedules(account, groupName)) === 0);
}

async function countSchedules({ clientConfig }: EmulatedAccount, GroupName: string): Promise<number> {
  const { Schedules = [] } = await new SchedulerClient(clientConfig).send(new ListSchedulesCommand({ GroupName }));
  return Schedules.length;
}

async function countInvocations({ clientConfig }: EmulatedAccount, logGroupName: string, since: Date): Promise<number> {
  const command = new FilterLogEventsCommand({ logGroupName, startTime: since.getTime() });
  const { events = [] } = await new CloudWatchLogsClient(clientConfig).send(command);
  return events.filter(({ message }) => message?.startsWith('START RequestId')).length;
}
