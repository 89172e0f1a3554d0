// Webhooks through the REST surface: the secret is shown once and kept sealed, addresses are allowed ones, and deliveries can be read.
import { describe, expect, it } from 'vitest';
import { webhookSecretPlace } from '../../lambda/domain/sealed-places.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { testDataKey, testService } from '../support/service.ts';

const made = { url: 'http://127.0.0.1:9/hook', events: ['stream.state_changed', 'credits.low'] };

describe('on one machine', () => {
  const service = testService();

  it('shows the secret once, stores it sealed, and lists the webhook', async () => {
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
    const { rows } = await service.pool().query('select sealed_secret from webhooks where id = $1', [body.id]);
    expect(createSealer([testDataKey]).open(rows[0].sealed_secret, webhookSecretPlace(body.id))).toBe(secret);
    expect((await user.call('GET', `/webhooks/${body.id}`)).body).toEqual(webhook);
    expect((await user.call('GET', '/webhooks')).body.data).toEqual([webhook]);
    expect((await user.call('PATCH', `/webhooks/${body.id}`, { events: ['credits.low'] })).body).toEqual({
      ...webhook,
      events: ['credits.low'],
    });
    expect((await (await service.user()).call('GET', `/webhooks/${body.id}`)).status).toBe(404);
    expect(service.logged.join('\n')).not.toContain(secret);
  });

  it('makes twenty at most, also of more that are asked for at once', async () => {
    const user = await service.user();
    const answers = await Promise.all(Array.from({ length: 30 }, () => user.call('POST', '/webhooks', made)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
      new Set(['too_many_webhooks']),
    );
  });

  it('answers the same secret to the same request once more, which lies sealed meanwhile', async () => {
    const user = await service.user();
    const create = () => user.call('POST', '/webhooks', made, { 'idempotency-key': 'once' });
    const [first, second] = [await create(), await create()];
    expect([second.headers.get('idempotency-replayed'), second.body]).toEqual(['true', first.body]);
    const { rows } = await service.pool().query('select * from idempotent_answers where user_id = $1', [user.id]);
    const lies = JSON.stringify(rows) + Buffer.from(rows[0].body, 'base64').toString('latin1');
    expect(lies).not.toContain(first.body.secret);
    expect((await user.call('GET', '/webhooks')).body.data).toHaveLength(1);
  });

  it('takes each event once, and nothing that is none', async () => {
    const user = await service.user();
    expect(
      (await user.call('POST', '/webhooks', { ...made, events: ['credits.low', 'credits.low'] })).body.events,
    ).toEqual(['credits.low']);
    for (const events of [[], ['*'], ['stream'], 'credits.low', null]) {
      expect((await user.call('POST', '/webhooks', { ...made, events })).body).toMatchObject({
        code: 'validation_failed',
      });
    }
  });

  it.each(['https://169.254.169.254/', 'http://[fe80::1]/', 'http://0.0.0.0/'])(
    'refuses %s everywhere, and changes nothing',
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

  it('pages through deliveries, newest first, and filters them by state', async () => {
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
    expect(shown.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
      shown.map(({ sequence }: { sequence: number }) => sequence).toSorted((a, b) => b - a),
    );
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

describe('in AWS', () => {
  const service = testService({ allowPrivateAddresses: false });

  it.each([
    'http://hooks.example.org/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://10.0.0.8/',
    'https://[::1]/',
    'https://metadata.google.internal/',
  ])('refuses %s', async (url) => {
    const { status, body } = await (await service.user()).call('POST', '/webhooks', { ...made, url });
    expect([status, body.code]).toEqual([422, 'webhook_url_forbidden']);
  });

  it('takes a public address behind TLS', async () => {
    expect(
      (await (await service.user()).call('POST', '/webhooks', { ...made, url: 'https://hooks.example.org/' })).status,
    ).toBe(201);
  });
});
