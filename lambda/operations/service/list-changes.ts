// GET /changes: the resources that changed since a cursor, for clients that poll.
import * as z from 'zod';
import { changedKinds, changesAtOnce, changesKeptMinutes } from '../../domain/notices/changes.ts';
import type { ChangedKind } from '../../domain/notices/changes.ts';
import type { Changes, NotedKind } from '../../data/notices/changes.ts';
import type { Context } from '../context.ts';
import { invalidCursor } from '../fields.ts';
import { operation } from '../operation.ts';

const change = z
  .object({
    kind: z.enum(changedKinds).meta({ id: 'ChangedKind' }),
    id: z.string(),
    deleted: z.boolean(),
  })
  .meta({ id: 'Change' });

export const changeList = z
  .object({
    cursor: z.string(),
    reset: z.boolean().describe('true: the changes are no longer known. Read all resources again.'),
    changed: z.array(change),
  })
  .meta({ id: 'Changes' });

export const listChanges = operation(['service:read'], {
  summary: 'List what has changed',
  description:
    'Returns the resources that changed since a cursor. Poll it to keep a display current. A change of an output ' +
    'or a broadcast is listed as a change of its stream. Measurements are not listed. Changes are kept for ' +
    `${changesKeptMinutes} minutes.`,
  tag: 'service',
  route: 'GET /changes',
  query: {
    since: z.string().optional().describe('cursor of the previous call. Leave it out to get the first cursor.'),
  },
  output: { status: 200, body: changeList },
  errors: ['invalid_cursor'],
  async handle(ctx, { query }) {
    const seen = query.since === undefined ? null : seenBy(ctx, query.since);
    const seesBilling = ctx.caller.scopes.includes('service:billing');
    const kinds: readonly NotedKind[] = seesBilling
      ? [...changedKinds, 'creditsIncident']
      : changedKinds.filter((kind) => kind !== 'billing');
    const { isForgotten, changed, ...now } = await ctx.data.changes.unseen(
      ctx.caller.userID,
      seen,
      kinds,
      changesAtOnce + 1,
    );
    const reset = isForgotten || changed.length > changesAtOnce;
    return {
      cursor: cursorOf(ctx, now),
      reset,
      changed: reset ? [] : changed.map(({ kind, ...rest }) => ({ kind: shownKind(kind), ...rest })),
    };
  },
});

/** The position of the client, with a seal: Postgres only receives positions that this service issued. */
const cursorOf = (ctx: Context, { seen, oldest }: Pick<Changes, 'seen' | 'oldest'>) =>
  `${Buffer.from(seen).toString('base64url')}.${ctx.cursors.seal(listOf(seen), oldest)}`;

/** @throws {ProblemError} invalid_cursor */
function seenBy(ctx: Context, cursor: string): string {
  const [said = '', seal = ''] = cursor.split('.');
  const seen = Buffer.from(said, 'base64url').toString();
  if (ctx.cursors.open(listOf(seen), seal) === null) throw invalidCursor('since', 'cursor of the previous call');
  return seen;
}

const listOf = (seen: string) => `changes ${seen}`;
const shownKind = (kind: NotedKind): ChangedKind => (kind === 'creditsIncident' ? 'incident' : kind);
