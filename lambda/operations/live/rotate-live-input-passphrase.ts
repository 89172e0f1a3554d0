// POST /live-inputs/{id}/rotate-passphrase: makes a passphrase for SRT, or replaces it. Decision D258.
import * as z from 'zod';
import { livePassphrase, livePassphraseBytes } from '../../domain/live/live-key.ts';
import { livePassphrasePlace } from '../../domain/shared/sealed-places.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const liveInputPassphraseSchema = z
  .object({ passphrase: z.string().describe('32 characters.') })
  .meta({ id: 'LiveInputPassphrase', examples: [{ passphrase: 'A'.repeat(32) }] });

export const rotateLiveInputPassphrase = operation(['service:write'], {
  summary: "Make a live input's passphrase",
  description:
    'Returns a new passphrase for SRT. No other answer contains it. From now on, contributors over SRT are admitted ' +
    'only with the key and this passphrase. A running session continues.',
  tag: 'live-inputs',
  route: 'POST /live-inputs/{id}/rotate-passphrase',
  output: {
    status: 200,
    body: liveInputPassphraseSchema,
    isSecret: true,
  },
  errors: ['live_ingest_off'],
  async handle(ctx, { params }) {
    const { liveSealer, settings } = ctx;
    if (!liveSealer || settings.liveIngest?.srtURL === undefined)
      throw new ProblemError('live_ingest_off', 'This platform does not receive SRT.');
    const { id } = orNotFound(await ctx.data.liveInputs.lock(ctx.caller.userID, params.id), 'live input');
    const passphrase = livePassphrase(ctx.randomBytes(livePassphraseBytes));
    await ctx.data.liveInputs.setPassphrase(id, liveSealer.seal(passphrase, livePassphrasePlace(id)));
    return { passphrase };
  },
});
