// POST /streams/{id}/takeovers: lets the contributor of a live input take a stream over.
import * as z from 'zod';
import type { LiveInput } from '../../data/live/live-inputs.ts';
import { beginTakeover } from '../../orchestration/live/takeovers.ts';
import type { TakeoverRefused } from '../../orchestration/live/takeovers.ts';
import { fieldProblem } from '../field-problems.ts';
import { id, orNotFound, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { disabledReasonOf, slateReasonOf } from './live-input-schema.ts';
import { begunTakeover } from './stream-takeover.ts';

export const takeOverStream = operation(['service:write'], {
  summary: 'Let a live input take a stream over',
  description:
    'Shows the contributor of a live input in place of the timeline, at least 7 seconds from now. The timeline runs ' +
    'on unseen, and is shown again when the contributor is lost, at endAt, or by hand_back_stream. With startAt, it ' +
    'waits for that time and for a stable contributor, and hand_back_stream cancels it. Framing and loudness ' +
    'of the stream apply to the contributor; overlays and joins do not.',
  tag: 'streams',
  route: 'POST /streams/{id}/takeovers',
  body: z.strictObject({
    liveInputID: id.describe('A live input of this stream, in state ready unless startAt is given.'),
    startAt: timestampInput
      .nullable()
      .default(null)
      .describe('Planned beginning: up to 2 seconds later, at the next keyframe of the timeline. null: now.'),
    endAt: timestampInput
      .nullable()
      .default(null)
      .describe('Planned end: up to 2 seconds later, at the next keyframe of the timeline. null: none.'),
  }),
  output: { status: 202, body: begunTakeover },
  errors: [
    'stream_not_running',
    'live_needs_manifest',
    'nothing_received',
    'not_stable_yet',
    'slate_not_prepared',
    'taken_over_already',
  ],
  async handle(ctx, { params, body: { liveInputID, startAt, endAt } }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const input = await ctx.data.liveInputs.lock(ctx.caller.userID, liveInputID);
    if (input?.stream_id !== stream.id)
      throw fieldProblem('liveInputID', 'This stream has no such live input. list_live_inputs returns its inputs.');
    const newID = ctx.newID('tko');
    const wanted = { id: newID, startAt, endAt, now: await ctx.data.now() };
    const begun = await beginTakeover(ctx.data, stream, input, wanted);
    if ('refusal' in begun) throw refusalOf(begun, input, disabledReasonOf(ctx, input));
    const { takeoverID, shownAt } = begun;
    const beginsAt = shownAt ?? startAt!;
    if (endAt !== null && endAt <= beginsAt)
      throw fieldProblem('endAt', `The takeover would begin at ${beginsAt.toISOString()}. Use a later end.`);
    if (takeoverID !== newID) await ctx.data.takeovers.planEnd(takeoverID, endAt, null);
    return { takeoverID, liveInputID: input.id, shownAt };
  },
});

/** @param disabled the reason why the input admits no contributor; null: it does */
function refusalOf(
  { refusal, lostBy, readyInSeconds = 0 }: TakeoverRefused,
  input: LiveInput,
  disabled: { readonly detail: string } | null,
): ProblemError {
  switch (refusal) {
    case 'stream_not_on_air':
      return new ProblemError('stream_not_running', 'The stream is not on the air yet. Start it with start_stream.');
    case 'backend_not_prepared':
      return new ProblemError(
        'live_needs_manifest',
        'This stream encodes while it sends. Set streamBackend to manifest with update_stream while it is stopped.',
      );
    case 'nothing_received':
      return new ProblemError(
        'nothing_received',
        lostBy
          ? `The input counts as lost while its contributor is ${lostBy}. Change what it sends, or lostAfter.`
          : (disabled?.detail ?? 'The input receives no picture. Begin to send to its address first.'),
      );
    case 'not_stable_yet':
      return new ProblemError('not_stable_yet', `The session is too young. Try again in ${readyInSeconds} seconds.`, {
        headers: { 'retry-after': String(readyInSeconds) },
      });
    case 'slate_not_prepared':
      return new ProblemError('slate_not_prepared', slateReasonOf(input)!);
    case 'taken_over_already':
      return new ProblemError(
        'taken_over_already',
        'The stream is taken over. Hand it back with hand_back_stream first.',
      );
  }
}
