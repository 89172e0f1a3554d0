// POST /programmes/{id}/publish: makes the draft the version that the stream plays.
import { publishProgramme as publish } from '../../orchestration/playout/publish-programme.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { assertRules } from './assert-rules.ts';
import { lockProgramme } from './lock-programme.ts';
import { presentProgramme, programmeSchema } from './programme-schema.ts';

export const publishProgramme = operation(['service:write'], {
  summary: 'Publish a programme',
  description:
    'Makes the draft the live version: the stream plays it, from its first publish on, in place of playlists of this ' +
    'kind. A running stream is planned again from its next item, at least 10 seconds from now, and its lists ' +
    'continue. Next: get_stream_timeline.',
  tag: 'programmes',
  route: 'POST /programmes/{id}/publish',
  output: { status: 202, body: programmeSchema },
  errors: ['programme_invalid', 'nothing_to_plan'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const locked = await lockProgramme(ctx, params.id);
    await assertRules(ctx, locked.programme, locked.programme.draft);
    const published = await publish(ctx.data, locked, ctx.settings.limitFactor);
    if (!published)
      throw new ProblemError('nothing_to_plan', 'No collection of the draft has an upload that can be played yet.');
    await ctx.data.takeovers.lookAgain(locked.stream.id);
    return presentProgramme(published);
  },
});
