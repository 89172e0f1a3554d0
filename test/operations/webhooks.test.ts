// Webhooks through the REST surface: secrets are shown once, addresses are checked, and deliveries can be read.
import { describe, expect, it } from 'vitest';
import { webhookSecretPlace } from '../../lambda/domain/shared/sealed-places.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import type { Scope } from '../../lambda/operations/scopes.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { keptAnswersOf } from '../support/kept-answers.ts';
import { sealedSecretOf } from '../support/sealed-columns.ts';
import { testDataKey, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const made = { url: 'http://127.0.0.1:9/hook', events: ['stream.state_changed', 'credits.low'] };

describe('webhooks on one machine', () => {
  const service = testService();

  it('show their secret once, keep it sealed, and are listed', async () => {
    const user = await service.user();
    const { status, headers, body } = await user.call('POST', '/webhooks', made);
    const { secret, ...webhook } = body;
    expect([status, headers.get('location')]).toEqual([201, expect.stringContaining(`/webhooks/${body.id}`)]);
    expect(webhook).toEqual({
      id: body.id,
      ...made,
      enabled: true,
      disabledReason: null,
      lastDeliveredAt: null,
      createdAt: expect.any(String),
    });
    expect(Buffer.from(/^whsec_([\w+/]+=*)$/.exec(secret)![1]!, 'base64')).toHaveLength(32);
    const sealed = await sealedSecretOf(service, 'webhooks', body.id);
    expect(createSealer([testDataKey]).open(sealed, webhookSecretPlace(body.id))).toBe(secret);
    expect((await user.call('GET', `/webhooks/${body.id}`)).body).toEqual(webhook);
    expect((await user.call('GET', '/webhooks')).body.data).toEqual([webhook]);
    expect((await user.call('PATCH', `/webhooks/${body.id}`, { events: ['credits.low'] })).body).toEqual({
      ...webhook,
      events: ['credits.low'],
    });
    expect((await (await service.user()).call('GET', `/webhooks/${body.id}`)).status).toBe(404);
    expect(service.logged.join('\n')).not.toContain(secret);
  });

  it('are twenty of a user at most, even if thirty are asked for at once', async () => {
    const user = await service.user();
    const answers = await Promise.all(Array.from({ length: 30 }, () => user.call('POST', '/webhooks', made)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
      new Set(['limit_reached']),
    );
  });

  it('are deleted with the events that no other webhook has', async () => {
    const user = await service.user();
    const create = async () => (await user.call('POST', '/webhooks', made)).body.id as string;
    const [one, other] = [await create(), await create()];
    for (let count = 0; count < 3; count++) await user.call('POST', `/webhooks/${one}/test`);
    await databaseOn(service.pool()).webhooks.notify(user.id, 'credits.low', user.id, {});
    const events = async () =>
      (await service.pool().query('select from events where user_id = $1', [user.id])).rowCount;
    expect(await events()).toBe(4);
    await user.call('DELETE', `/webhooks/${one}`);
    expect(await events()).toBe(1);
    expect((await user.call('GET', `/webhooks/${other}/deliveries`)).body.data).toHaveLength(1);
    await user.call('DELETE', `/webhooks/${other}`);
    expect(await events()).toBe(0);
  });

  it('have the same secret in the answer to a repeated request, which is kept sealed', async () => {
    const user = await service.user();
    const create = () => user.call('POST', '/webhooks', made, { 'idempotency-key': 'once' });
    const [first, second] = [await create(), await create()];
    expect([second.headers.get('idempotency-replayed'), second.body]).toEqual(['true', first.body]);
    const answers = await keptAnswersOf(service, user.id);
    const kept = JSON.stringify(answers) + Buffer.from(answers[0]!.body, 'base64').toString('latin1');
    expect(kept).not.toContain(first.body.secret);
    expect((await user.call('GET', '/webhooks')).body.data).toHaveLength(1);
  });

  it('have each type of event once, and no unknown ones', async () => {
    const user = await service.user();
    const createFor = (events: unknown) => user.call('POST', '/webhooks', { ...made, events });
    expect((await createFor(['credits.low', 'credits.low'])).body.events).toEqual(['credits.low']);
    for (const events of [[], ['*'], ['stream'], 'credits.low', null])
      expect((await createFor(events)).body).toMatchObject({ code: 'validation_failed' });
  });

  /** Calls of a user with a key that has only these scopes. */
  const limitedTo = async (user: TestUser, ...scopes: Scope[]) => {
    const id = scopes.join();
    const key = `lss_key_of_${user.id}_${id}`;
    const row = { id: `key_${user.id}_${id}`, userID: user.id, name: id, keySha256: hashApiKey(key), scopes };
    await databaseOn(service.pool()).apiKeys.insert({ ...row, keyStart: 'lss_', expiresAt: null }, 100);
    return (method: string, path: string, body: object) => user.call(method, path, body, { 'x-api-key': key });
  };

  it('tell a caller nothing that the caller may not read, and can be stopped by anybody who may write', async () => {
    const user = await service.user();
    const writer = await limitedTo(user, 'service:write');
    const reader = await limitedTo(user, 'service:write', 'service:read');
    const refused = (detail: string) => ({
      status: 403,
      body: { code: 'insufficient_scope', errors: [{ path: '/events', detail: expect.stringContaining(detail) }] },
    });
    expect(await writer('POST', '/webhooks', { ...made, events: ['stream.state_changed'] })).toMatchObject(
      refused('service:read'),
    );
    expect(await reader('POST', '/webhooks', made)).toMatchObject(
      refused('credits.low needs the scope service:billing. Ask the user for this scope, or leave the event out.'),
    );
    const { body: told } = await reader('POST', '/webhooks', { ...made, events: ['stream.state_changed'] });
    expect(await reader('PATCH', `/webhooks/${told.id}`, { events: ['payment.refunded'] })).toMatchObject(
      refused('payment.refunded'),
    );
    const { body: webhook } = await user.call('POST', '/webhooks', made);
    for (const change of [{ url: 'http://127.0.0.1:9/elsewhere' }, { enabled: true }, { events: ['credits.low'] }])
      expect(await reader('PATCH', `/webhooks/${webhook.id}`, change)).toMatchObject(refused('credits.low'));
    expect(await writer('PATCH', `/webhooks/${webhook.id}`, { enabled: false })).toMatchObject({
      status: 200,
      body: { ...made, enabled: false },
    });
  });

  it('and alert channels neither tell of incidents that the caller may not read', async () => {
    const user = await service.user();
    const channel = { name: 'ops', kind: 'webhook', target: 'http://127.0.0.1:9/hook' };
    const writer = await limitedTo(user, 'service:write');
    const reader = await limitedTo(user, 'service:write', 'service:read');
    for (const events of [undefined, ['media_unplayable'], ['credits_low']])
      expect(await writer('POST', '/alert-channels', { ...channel, events })).toMatchObject({ status: 403 });
    expect(await reader('POST', '/alert-channels', { ...channel, events: ['credits_low'] })).toMatchObject({
      status: 403,
      body: {
        detail: 'credits_low needs the scope service:billing. Ask the user for this scope, or leave the event out.',
      },
    });
    const both = { ...channel, events: ['media_unplayable', 'credits_low'] };
    expect((await writer('POST', '/alert-channels', both)).body.detail).toMatch(
      /^media_unplayable needs the scope service:read, credits_low needs the scope service:billing\. /,
    );
    const { status, body } = await reader('POST', '/alert-channels', channel);
    expect([status, body.events.includes('credits_low')]).toEqual([201, false]);
    const change = { target: 'http://127.0.0.1:9/elsewhere' };
    expect((await writer('PATCH', `/alert-channels/${body.id}`, change)).status).toBe(403);
    expect((await writer('PATCH', `/alert-channels/${body.id}`, { enabled: false })).status).toBe(200);
  });

  it.each(['https://169.254.169.254/', 'http://[fe80::1]/', 'http://0.0.0.0/'])(
    'cannot have the address %s, and are not changed by trying',
    async (url) => {
      const user = await service.user();
      const { body: webhook } = await user.call('POST', '/webhooks', made);
      const answers = [
        await user.call('POST', '/webhooks', { ...made, url }),
        await user.call('PATCH', `/webhooks/${webhook.id}`, { url, enabled: false }),
      ];
      for (const { status, body } of answers)
        expect([status, body.code, body.errors[0].path]).toEqual([422, 'webhook_url_forbidden', '/url']);
      expect((await user.call('GET', `/webhooks/${webhook.id}`)).body).toMatchObject({ ...made, enabled: true });
    },
  );

  it('have deliveries that come in pages, newest first, and by state', async () => {
    const user = await service.user();
    const { body: webhook } = await user.call('POST', '/webhooks', made);
    for (let count = 0; count < 3; count++) {
      const { body: stream } = await user.call('POST', '/streams', {});
      await user.call('POST', `/streams/${stream.id}/schedule`, { scheduleStartAt: '9999-01-01T00:00:00Z' });
    }
    const path = `/webhooks/${webhook.id}/deliveries`;
    const first = (await user.call('GET', `${path}?limit=2&state=pending`)).body;
    const second = (await user.call('GET', `${path}?limit=2&state=pending&cursor=${first.page.nextCursor}`)).body;
    const shown = [...first.data, ...second.data];
    expect([shown.length, second.page.hasMore]).toEqual([3, false]);
    const sequences = shown.map(({ sequence }: { sequence: number }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => b - a));
    expect(shown[0]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      eventID: expect.stringMatching(/^evt_/),
      eventType: 'stream.state_changed',
      sequence: expect.any(Number),
      state: 'pending',
      attempts: 0,
      nextAttemptAt: expect.any(String),
      lastAttemptAt: null,
      responseStatus: null,
      responseExcerpt: null,
      failure: null,
      createdAt: expect.any(String),
    });
    expect((await user.call('GET', `${path}?state=delivered`)).body.data).toEqual([]);
    await user.call('PATCH', `/webhooks/${webhook.id}`, { enabled: false });
    const failed = (await user.call('GET', `${path}?state=failed`)).body.data;
    expect(failed).toHaveLength(3);
    for (const delivery of failed)
      expect(delivery).toMatchObject({ failure: { code: 'webhook_disabled' }, nextAttemptAt: null });
    const other = (await user.call('POST', '/webhooks', made)).body;
    await user.call('PATCH', `/webhooks/${webhook.id}`, { enabled: true });
    expect((await user.call('POST', `/webhooks/${other.id}/deliveries/${shown[0].id}/redeliver`)).status).toBe(404);
    expect((await user.call('POST', `${path}/${shown[0].id}/redeliver`)).status).toBe(202);
  });
});

describe('webhooks in AWS', () => {
  const service = testService({ allowPrivateAddresses: false });

  it.each([
    'http://hooks.example.org/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://10.0.0.8/',
    'https://[::1]/',
    'https://metadata.google.internal/',
  ])('cannot have the address %s', async (url) => {
    const { status, body } = await (await service.user()).call('POST', '/webhooks', { ...made, url });
    expect([status, body.code]).toEqual([422, 'webhook_url_forbidden']);
  });

  it('can have a public address behind TLS', async () => {
    const user = await service.user();
    const { status } = await user.call('POST', '/webhooks', { ...made, url: 'https://hooks.example.org/' });
    expect(status).toBe(201);
  });
});
