// Every operators' command is kept, whatever its outcome, and these records cannot be deleted or changed.
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { operatorOn, requestOf } from '../support/operate.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
const { ask, operate } = operatorOn(service);
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});
const last = async (about: string | null = null) =>
  (await databaseOn(service.pool()).operatorCommands.last(1, about))[0];

describe('the record', () => {
  it('has who, why, what, and what came of it', async () => {
    await operate('user', 'disable', user.id);
    expect(await last(user.id)).toMatchObject({
      operator: 'arn:aws:iam::123456789012:user/ada',
      words: ['user', 'disable', user.id],
      reason: 'they asked for it',
      outcome: 'done',
    });
  });

  it.each([
    ['a dry command', requestOf(['content', 'block', 'b'.repeat(64)], { dryRun: true }), 'dry_run'],
    ['one without a reason', requestOf(['content', 'block', 'b'.repeat(64)], { reason: ' ' }), 'refused'],
    ['one that does not exist', requestOf(['user', 'delete']), 'refused'],
    ['one about nobody', requestOf(['user', 'show', 'nobody']), 'refused'],
  ] as const)('has %s', async (_, request, outcome) => {
    expect(await ask(request)).toMatchObject({ outcome });
    expect(await last()).toMatchObject({ words: request.words, outcome, says: expect.stringMatching(/\w/) });
  });

  it('has whoever may not, and what they wanted', async () => {
    const request = requestOf(['user', 'enable', user.id]);
    const refusal = 'They are nobody.';
    expect(await ask(request, { name: 'mallory', via: 'nothing', refusal })).toEqual({
      outcome: 'refused',
      says: refusal,
    });
    expect(await last()).toMatchObject({
      operator: 'mallory',
      words: request.words,
      outcome: 'refused',
      says: refusal,
    });
    expect((await databaseOn(service.pool()).users.find(user.id))!.disabled_at).not.toBeNull();
  });

  it('has a command that failed by our fault, and one whose process died says so', async () => {
    const request = requestOf(['user', 'show', user.id]);
    await service.pool().query('alter table invoices rename to invoices_away');
    await expect(ask(request)).rejects.toThrow('invoices');
    await service.pool().query('alter table invoices_away rename to invoices');
    expect(await last()).toMatchObject({ words: request.words, outcome: 'failed' });
    const { keep } = databaseOn(service.pool()).operatorCommands;
    await keep({ ...requestOf(['user', 'show', 'x']), operator: 'ada', via: 'a test' });
    expect(await last()).toMatchObject({ words: ['user', 'show', 'x'], outcome: null });
  });

  it('carries the same request out once', async () => {
    const request = requestOf(['credits', 'grant', user.id, '5']);
    const left = () => databaseOn(service.pool()).creditAccounts.creditsLeft(user.id);
    const before = await left();
    await ask(request);
    expect(await ask(request)).toMatchObject({ outcome: 'refused', says: expect.stringContaining('before') });
    expect(await left()).toBe(before + 5);
  });

  it.each(['operator_commands', 'operator_outcomes'])('refuses every change of %s', async (table) => {
    const column = table === 'operator_commands' ? 'reason' : 'says';
    for (const statement of [
      `delete from ${table}`,
      `update ${table} set ${column} = 'x'`,
      `truncate ${table} cascade`,
    ])
      await expect(service.pool().query(statement)).rejects.toThrow('only added to');
  });
});
