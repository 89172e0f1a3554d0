// POST /live-inputs: creates an address and a key for a contributor who takes a stream over.
import * as z from 'zod';
import { hashLiveKey, liveKey, liveKeyBytes } from '../../domain/live/live-key.ts';
import { neverLost } from '../../domain/live/signal-loss.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { id } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { assertSlate, requestSlate } from './request-slate.ts';
import { keyedLiveInputSchema, liveInputFields, presentLiveInput, settingsOf } from './live-input-schema.ts';

const defaults = {
  takes: 'on_request',
  second_publisher: 'refuse',
  allow: [],
  stable_seconds: 5,
  // OBS connects again after ten seconds.
  grace_seconds: 15,
  lost_after: neverLost,
  delay_seconds: 10,
  record: false,
  windows: null,
  after_takeover: 'join_in_progress',
  slate_upload_id: null,
} as const;

const { name, ...optional } = liveInputFields;

export const createLiveInput = operation(['service:write'], {
  summary: 'Create a live input',
  description:
    'Creates an input to which a contributor sends RTMP, for example with OBS, to take a stream over. Only this ' +
    `answer contains the key. A stream has at most ${bounds.liveInputsPerStream} inputs. Next: take_over_stream when ` +
    'state of get_live_input is ready.',
  tag: 'live-inputs',
  route: 'POST /live-inputs',
  body: z
    .strictObject({
      name,
      streamID: id.describe('Stream to take over.'),
      takes: optional.takes.default(defaults.takes),
      secondPublisher: optional.secondPublisher.default(defaults.second_publisher),
      allow: optional.allow.default([]),
      stableSeconds: optional.stableSeconds.default(defaults.stable_seconds),
      graceSeconds: optional.graceSeconds.default(defaults.grace_seconds),
      lostAfter: optional.lostAfter.default(defaults.lost_after),
      delaySeconds: optional.delaySeconds.default(defaults.delay_seconds),
      slateUploadID: optional.slateUploadID.default(defaults.slate_upload_id),
      record: optional.record.default(defaults.record),
      windows: optional.windows.default(defaults.windows),
      afterTakeover: optional.afterTakeover.default(defaults.after_takeover),
    })
    .meta({ examples: [{ name: 'Studio', streamID: 'str_0mb3kq5zj4h8s2n7t1w9x6c0p' }] }),
  output: {
    status: 201,
    body: keyedLiveInputSchema,
    location: (input) => `/live-inputs/${input.id}`,
    isSecret: true,
  },
  errors: ['live_ingest_off', 'limit_reached'],
  async handle(ctx, { body: { streamID, ...fields } }) {
    if (ctx.settings.liveIngest === null)
      throw new ProblemError('live_ingest_off', 'This platform does not receive live contributions.');
    const stream = await ctx.data.streams.lock(ctx.caller.userID, streamID);
    if (!stream) throw fieldProblem('streamID', 'There is no such stream.');
    const settings = settingsOf(fields, { ...defaults, name: fields.name });
    await assertFewInputs(ctx, stream.id);
    await assertSlate(ctx, fields.slateUploadID);
    const key = liveKey(ctx.randomBytes(liveKeyBytes));
    const input = await ctx.data.liveInputs.insert({
      id: ctx.newID('inp'),
      userID: ctx.caller.userID,
      streamID: stream.id,
      keySha256: hashLiveKey(key),
      keyClientID: ctx.caller.clientID,
      settings,
    });
    return { ...presentLiveInput(ctx, await requestSlate(ctx, input)), key };
  },
});

/** @throws {ProblemError} limit_reached */
async function assertFewInputs(ctx: Context, streamID: string): Promise<void> {
  const { of_stream: ofStream, of_user: ofUser } = await ctx.data.liveInputs.count(ctx.caller.userID, streamID);
  const { liveInputsPerStream, liveInputsPerUser } = bounds;
  const [used, allowed, owner] =
    ofStream >= liveInputsPerStream
      ? [ofStream, liveInputsPerStream, 'A stream']
      : [ofUser, liveInputsPerUser, 'A user'];
  if (used < allowed) return;
  const members = { limit: 'liveInputs', used, allowed };
  throw new ProblemError('limit_reached', `${owner} has at most ${allowed} live inputs. Delete one first.`, {
    members,
  });
}
