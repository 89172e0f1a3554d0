// POST /programmes: creates a programme of a stream, without rules.
import * as z from 'zod';
import { playlistKinds } from '../../domain/playout/playlist-words.ts';
import { id } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { assertRules } from './assert-rules.ts';
import { presentProgramme, programmeSchema, rulesInput, noRules } from './programme-schema.ts';

export const createProgramme = operation(['service:write'], {
  summary: 'Create a programme',
  description:
    'Creates a programme without rules. Next: create_collection for each kind of uploads, update_programme with ' +
    'blocks that draw from them, simulate_programme to see the rows, then publish_programme: the stream plays it ' +
    'from then on.',
  tag: 'programmes',
  route: 'POST /programmes',
  body: z.strictObject({
    streamID: id.describe('A stream has one programme of each kind.'),
    kind: z.enum(playlistKinds).default('video'),
    timeZone: rulesInput.timeZone.default('UTC'),
  }),
  output: { status: 201, body: programmeSchema, location: (programme) => `/programmes/${programme.id}` },
  errors: ['programme_invalid', 'programme_exists'],
  async handle(ctx, { body: { streamID, kind, timeZone } }) {
    const stream = await ctx.data.streams.lock(ctx.caller.userID, streamID);
    if (!stream) throw fieldProblem('streamID', 'There is no such stream.');
    const draft = { ...noRules, timeZone };
    await assertRules(ctx, { kind, stream_id: stream.id }, draft);
    const programme = await ctx.data.programmes.insert({
      id: ctx.newID('prg'),
      user_id: ctx.caller.userID,
      stream_id: stream.id,
      kind,
      seed: Math.floor(ctx.random() * 2 ** 31),
      draft,
    });
    if (!programme)
      throw new ProblemError('programme_exists', `The stream has a programme for its ${kind}. Change it instead.`);
    return presentProgramme(programme);
  },
});
