// GET /streams/{id}/broadcasts: the current and past broadcasts of a stream on a managed platform, newest first.
import * as z from 'zod';
import type { Broadcast } from '../../data/channels/broadcasts.ts';
import { orNotFound, pageOf, pageQuery, pageThrough, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { shownColumns } from '../shown-columns.ts';
import { broadcastPhases } from '../../domain/channels/channel-words.ts';

const health = z
  .object({
    state: z.enum(['good', 'ok', 'bad', 'no_data', 'unknown']),
    issues: z.array(z.object({ type: z.string(), severity: z.string(), detail: z.string() })),
    observedAt: timestamp.nullable().describe('Time of the report. null: not reported yet.'),
  })
  .meta({ id: 'BroadcastHealth' });

export const broadcastSchema = z
  .object({
    id: z.string(),
    n: z.int32().describe("Number of the broadcast, from 1 for the stream's first."),
    externalID: z
      .string()
      .nullable()
      .describe('ID of the broadcast on the platform. null: the platform has not answered yet.'),
    watchURL: z.string().nullable().describe('Page where viewers watch the broadcast. null: not known yet.'),
    phase: z.enum(broadcastPhases).describe('failed: the broadcast was never created.'),
    title: z.string(),
    scheduledStartAt: timestamp,
    liveAt: timestamp.nullable().describe('Time when it went live. null: not yet.'),
    endedAt: timestamp.nullable().describe('Time when it ended. null: not yet.'),
    health: health
      .nullable()
      .describe('Health of the received media, as the platform reports it. null: not reported yet.'),
    viewers: z
      .object({ now: z.int32().nullable(), observedAt: timestamp })
      .meta({ id: 'BroadcastViewers' })
      .nullable()
      .describe('Number of current viewers. now is null if the platform hides it.'),
  })
  .meta({ id: 'Broadcast' });

export const listStreamBroadcasts = operation(['service:read'], {
  summary: 'List the broadcasts of a stream',
  description:
    "Returns the stream's current and past broadcasts on a managed platform, newest first: title, watch page, " +
    'health and viewers.',
  tag: 'streams',
  route: 'GET /streams/{id}/broadcasts',
  query: pageQuery,
  output: { status: 200, body: pageOf(broadcastSchema).meta({ id: 'BroadcastPage' }) },
  async handle(ctx, { params, query }) {
    const { id } = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    return pageThrough(ctx, `broadcasts of ${id}`, query, presentBroadcast, (before, count) =>
      ctx.data.broadcasts.list(id, before, count),
    );
  },
});

function presentBroadcast(broadcast: Broadcast): z.input<typeof broadcastSchema> {
  const { health: observed, viewers_observed_at: countedAt } = broadcast;
  return {
    ...shownColumns(broadcastSchema, broadcast),
    health: observed && { ...observed, issues: [...observed.issues], observedAt: broadcast.health_observed_at },
    viewers: countedAt && { now: broadcast.viewers, observedAt: countedAt },
  };
}
