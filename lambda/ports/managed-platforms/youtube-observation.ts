// YouTube's view of broadcasts and their ingests. No answer here can contain a stream key.
import * as z from 'zod';
import type { BroadcastPhase, Health, Observation } from './broadcasts.ts';
import { idsPerCall, inCalls } from './youtube-request.ts';
import type { AskYoutube } from './youtube-request.ts';

const broadcastList = z.object({
  items: z
    .array(
      z.object({
        id: z.string().min(1),
        status: z.object({ lifeCycleStatus: z.string() }),
        contentDetails: z.object({ boundStreamId: z.string().optional() }).default({}),
      }),
    )
    .default([]),
});

/** Unlisted values count as unknown: YouTube adds some. */
const severity = z.enum(['info', 'warning', 'error']).catch('info');
const issue = z.object({
  type: z.string().max(100),
  severity,
  reason: z.string().default(''),
  description: z.string().default(''),
});
const streamList = z.object({
  items: z
    .array(
      z.object({
        id: z.string().min(1),
        status: z.object({
          streamStatus: z.string().default(''),
          healthStatus: z
            .object({ status: z.string().default(''), configurationIssues: z.array(issue).default([]) })
            .optional(),
        }),
      }),
    )
    .default([]),
});
type StreamStatus = z.output<typeof streamList>['items'][number]['status'];

/** YouTube's own sentences, and lists of issues, are shorter. */
const maxDetailLength = 1000;
const maxIssues = 40;

export async function observeYoutube(
  ask: AskYoutube,
  accessToken: string,
  externalIDs: readonly string[],
): Promise<Observation[]> {
  const observations: Observation[] = [];
  for (const ids of inCalls(externalIDs)) {
    const query = {
      part: 'id,status,contentDetails',
      id: ids.join(','),
      broadcastType: 'all',
      maxResults: `${idsPerCall}`,
    };
    const { items } = await ask(accessToken, { path: '/youtube/v3/liveBroadcasts', query }, broadcastList);
    const bound = new Set(items.flatMap(({ contentDetails }) => contentDetails.boundStreamId ?? []));
    const streams = await streamStatuses(ask, accessToken, [...bound]);
    for (const { id, status, contentDetails } of items) {
      const stream = streams.get(contentDetails.boundStreamId ?? '');
      observations.push({
        externalID: id,
        phase: phaseOfLifeCycle(status.lifeCycleStatus),
        ingest: stream ? (ingestStates[stream.streamStatus] ?? 'unknown') : 'unknown',
        health: stream ? healthOf(stream) : null,
      });
    }
  }
  return observations;
}

async function streamStatuses(
  ask: AskYoutube,
  accessToken: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StreamStatus>> {
  if (ids.length === 0) return new Map();
  const query = { part: 'id,status', id: ids.join(','), maxResults: `${idsPerCall}` };
  const { items } = await ask(accessToken, { path: '/youtube/v3/liveStreams', query }, streamList);
  return new Map(items.map(({ id, status }) => [id, status]));
}

const phases: Readonly<Record<string, BroadcastPhase>> = {
  created: 'prepared',
  ready: 'prepared',
  testStarting: 'prepared',
  testing: 'prepared',
  liveStarting: 'starting',
  live: 'live',
  complete: 'ended',
  revoked: 'ended',
};

/** A broadcast with an unknown status is on its way to another one: nothing is done about it. */
export function phaseOfLifeCycle(status: string): BroadcastPhase {
  return phases[status] ?? 'starting';
}

const ingestStates: Readonly<Record<string, Observation['ingest']>> = {
  created: 'inactive',
  ready: 'inactive',
  inactive: 'inactive',
  error: 'inactive',
  active: 'active',
};

const healthStates: Readonly<Record<string, Health['state']>> = {
  good: 'good',
  ok: 'ok',
  bad: 'bad',
  noData: 'no_data',
};

function healthOf({ healthStatus }: StreamStatus): Health | null {
  if (!healthStatus) return null;
  return {
    state: healthStates[healthStatus.status] ?? 'unknown',
    issues: healthStatus.configurationIssues.slice(0, maxIssues).map(({ type, reason, description, ...rest }) => ({
      type,
      severity: rest.severity,
      detail: (description || reason || type).slice(0, maxDetailLength),
    })),
  };
}
