// Users' mailed notifications in the API: only their own, billing only with that scope, and markable as read.
import { describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import type { NotificationKind } from '../../lambda/domain/notices/notification-words.ts';
import { testService } from '../support/service.ts';
import { limitKeysOf } from '../support/stored-credentials.ts';

const service = testService();
const tell = (userID: string, kind: NotificationKind, reference: string, detail: Record<string, unknown>) =>
  databaseOn(service.pool()).notifications.add({ userID, kind, reference, detail, dueAt: new Date() });
const refunded = { invoiceID: 'inv_1', creditsTakenBack: 5 };
const overflowed = { webhookID: 'whk_1', waiting: 1000 };

describe('notifications', () => {
  it('are read with their words, the last first, and marked as read, one or all', async () => {
    const user = await service.user();
    await tell(user.id, 'payment_refunded', 'a', refunded);
    await tell(user.id, 'webhook_overflowed', 'b', overflowed);
    const { body } = await user.call('GET', '/notifications');
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        kind: 'webhook_overflowed',
        subject: 'Events for a webhook were given up',
        text: expect.stringContaining('whk_1'),
        streams: [],
        createdAt: expect.any(String),
        readAt: null,
      },
      expect.objectContaining({ kind: 'payment_refunded', subject: 'A payment was refunded' }),
    ]);
    const ids = [body.data[0].id];
    expect((await user.call('POST', '/notifications/read', { ids })).body).toEqual({ marked: 1 });
    const unread = (await user.call('GET', '/notifications?unread=true')).body.data;
    expect(unread.map(({ kind }: { kind: string }) => kind)).toEqual(['payment_refunded']);
    expect((await user.call('POST', '/notifications/read', {})).body).toEqual({ marked: 1 });
    expect((await user.call('GET', '/notifications?unread=true')).body.data).toEqual([]);
  });

  it('have the streams that they are about, by name, also those of before the names were stored', async () => {
    const user = await service.user();
    const [named, nameless] = ['str_named', 'str_old'].map((id, place) => ({ id, name: place === 0 ? 'Radio' : null }));
    await tell(user.id, 'streams_stopped_without_credits', 'a', { streamIDs: ['str_old'] });
    await tell(user.id, 'streams_stopped_without_credits', 'b', { streamIDs: ['str_named'], streams: [named] });
    const { data } = (await user.call('GET', '/notifications')).body;
    expect(data.map(({ streams }: { streams: unknown }) => streams)).toEqual([[named], [nameless]]);
    expect(data[0].text).toContain('• Radio');
    expect(data[0].text).not.toContain('str_');
  });

  it('are nobody else’s', async () => {
    const [user, other] = [await service.user(), await service.user()];
    await tell(user.id, 'webhook_overflowed', 'b', overflowed);
    const [{ id }] = (await user.call('GET', '/notifications')).body.data;
    expect((await other.call('GET', '/notifications')).body.data).toEqual([]);
    expect((await other.call('POST', '/notifications/read', { ids: [id] })).body).toEqual({ marked: 0 });
    expect((await user.call('GET', '/notifications')).body.data[0].readAt).toBeNull();
  });

  it('of credits and payments are kept from who may not read those', async () => {
    const user = await service.user();
    await tell(user.id, 'payment_refunded', 'a', refunded);
    await tell(user.id, 'webhook_overflowed', 'b', overflowed);
    await limitKeysOf(service, user.id, ['service:read']);
    const { body } = await user.call('GET', '/notifications');
    expect(body.data.map(({ kind }: { kind: string }) => kind)).toEqual(['webhook_overflowed']);
  });
});
