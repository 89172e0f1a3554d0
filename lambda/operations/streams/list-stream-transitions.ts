// GET /streams/{id}/transitions: how a stream came to its state, newest first.
import type { ListedTransition } from '../../data/streams/stream-moves.ts';
import { orNotFound, pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentTransition, transition } from './stream-transition.ts';

export const listStreamTransitions = operation(['service:read'], {
  summary: 'List the transitions of a stream',
  description: 'Newest first: the last 50, of at most 90 days. get_stream has the last 20.',
  tag: 'streams',
  route: 'GET /streams/{id}/transitions',
  query: pageQuery,
  output: { status: 200, body: pageOf(transition).meta({ id: 'StreamTransitionPage' }) },
  async handle(ctx, { params, query }) {
    const { id } = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    return pageThrough(
      ctx,
      `transitions of ${id}`,
      query,
      (row: ListedTransition) => presentTransition(row),
      (before, count) => ctx.data.streamMoves.transitionsBefore(id, before, count),
    );
  },
});
