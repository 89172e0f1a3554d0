// GET /live-inputs/{id}/sessions: the latest connections of contributors to a live input, with their recordings.
import * as z from 'zod';
import { bounds } from '../../domain/shared/bounds.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentSession, sessionSchema } from './live-input-schema.ts';

export const listLiveSessions = operation(['service:read'], {
  summary: 'List the sessions of a live input',
  description:
    `Returns the latest ${bounds.liveSessionsListed} connections, latest first, each with the ` +
    'uploads that record it. Next: get_upload with an uploadID.',
  tag: 'live-inputs',
  route: 'GET /live-inputs/{id}/sessions',
  output: { status: 200, body: z.object({ data: z.array(sessionSchema) }).meta({ id: 'LiveSessions' }) },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.liveInputs.find(ctx.caller.userID, params.id), 'live input');
    const sessions = await ctx.data.liveSessions.list(id, bounds.liveSessionsListed);
    return { data: sessions.map((session) => presentSession(session)) };
  },
});
