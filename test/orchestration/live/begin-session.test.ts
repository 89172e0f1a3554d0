// The beginnings of sessions: whatever comes at once, no stream and no user has more of them than it may have.
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../../../lambda/data/database.ts';
import { createPoolLike } from '../../../lambda/data/shared/queryable.ts';
import { beginSession } from '../../../lambda/orchestration/live/begin-session.ts';
import { actorsOn } from '../../support/actors.ts';
import { asLiveIngest, liveIngestOn } from '../../support/live-ingest-role.ts';
import { testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
liveIngestOn(service);
const { data, user } = actorsOn(service);
/** The connections of several ingests. */
let pool: Pool;
beforeAll(() => {
  pool = createPoolLike(service.pool(), { max: 12, options: asLiveIngest });
});
afterAll(() => pool.end());

const made = { protocol: 'rtmp', address: '192.0.2.7', format: 'q_720p-f_30', encoder: 'libx264 veryfast' };
const begin = async (owner: TestUser, liveInputID: string) => {
  const { rows } = await pool.query('select is_funded($1) as is_funded', [owner.id]);
  const id = `lse_${randomBytes(8).toString('hex')}`;
  const of = { user_id: owner.id, is_funded: rows[0].is_funded as boolean };
  return inTransaction(pool, (tx) => beginSession(tx, of, { ...made, id, liveInputID }));
};

/** Makes inputs of a stream of its own. @returns their ids */
async function inputsOf(owner: TestUser, count: number): Promise<string[]> {
  const streamID = (await owner.call('POST', '/streams', {})).body.id as string;
  const created = Array.from({ length: count }, () => owner.call('POST', '/live-inputs', { name: 'x', streamID }));
  return (await Promise.all(created)).map(({ body }) => body.id as string);
}

it('two of five encoders that connect to a stream at once have a session', async () => {
  for (let round = 0; round < 5; round++) {
    const inputs = await inputsOf(user(), 5);
    const answers = await Promise.all(inputs.map((id) => begin(user(), id)));
    expect(answers.filter((answer) => answer === null)).toHaveLength(2);
    expect(new Set(answers)).toEqual(new Set([null, 'too_many_of_stream']));
  }
});

it('two of twelve encoders of a user who is not funded have a session, each on a stream of its own', async () => {
  const free = await service.user(0);
  const inputs: string[] = [];
  for (let stream = 0; stream < 12; stream++) inputs.push(...(await inputsOf(free, 1)));
  const answers = await Promise.all(inputs.map((id) => begin(free, id)));
  expect(answers.filter((answer) => answer === null)).toHaveLength(2);
  expect(new Set(answers)).toEqual(new Set([null, 'share_used']));
  const other = await service.user(0);
  expect(await begin(other, (await inputsOf(other, 1))[0]!)).toBeNull();
  const [refused, next] = inputs.filter((_, at) => answers[at] === 'share_used');
  const running = await data().liveSessions.runningOf(inputs[answers.indexOf(null)]!);
  await data().liveSessions.end(running!.id, 'disconnected', null);
  expect([await begin(free, refused!), await begin(free, next!)]).toEqual([null, 'share_used']);
  const grant = { type: 'adjustment', method: 'grant', cost: 0, credits: 100 } as const;
  await data().invoices.ensurePaid({ id: `inv_${free.id}`, userID: free.id, ...grant });
  expect(await begin(free, next!)).toBeNull();
});
