// The account that `npm start` creates: it begins with exactly the requested credits, and keeps its data.
import { expect, it } from 'vitest';
import { ensureLocalAccount } from '../../bin/local/local-account.ts';
import { fireCredits } from '../../lambda/orchestration/accounts/fire-credits.ts';
import { testService } from '../support/service.ts';
import { databaseOn } from '../../lambda/data/database.ts';

const service = testService();

it('a fresh local user has exactly so many credits, and neither a job nor a later start gives more', async () => {
  const { sealer } = service.service();
  const options = { apiKey: 'lss_local', password: 'a long password', rtmpURL: 'rtmp://127.0.0.1/live', sealer };
  const balance = async () => {
    const { creditAccounts } = databaseOn(service.pool());
    return (await creditAccounts.overview('usr_local', new Date())).balance;
  };
  await ensureLocalAccount(service.pool(), { ...options, formerRtmpURL: null, credits: 42 });
  await fireCredits(service.pool(), await databaseOn(service.pool()).now());
  expect(await balance()).toBe(42);
  await ensureLocalAccount(service.pool(), { ...options, formerRtmpURL: null, credits: 100_000 });
  expect(await balance()).toBe(42);
});
