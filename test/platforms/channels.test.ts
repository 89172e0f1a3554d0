// Streams on channels without broadcasts: the mirror's worker with stand-ins for Twitch and for Kick.
import { describe, expect, it } from 'vitest';
import { withConsentCallback } from '../../lambda/api/consent-callback.ts';
import { createPlatformsHandler } from '../../lambda/platforms/platforms.ts';
import { createConsents } from '../../lambda/ports/managed-platforms/consents.ts';
import { createKickPlatform } from '../../lambda/ports/managed-platforms/kick-platform.ts';
import type { ManagedPlatforms } from '../../lambda/ports/managed-platforms/managed-platform.ts';
import { createTwitchPlatform } from '../../lambda/ports/managed-platforms/twitch-platform.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { actorsOn } from '../support/actors.ts';
import { kickOfTest } from '../support/kick.ts';
import { mirroredStreamsOn } from '../support/mirrored-streams.ts';
import { baseURL, testService } from '../support/service.ts';
import { twitchOfTest } from '../support/twitch.ts';

const service = testService();
const { call, create, data, fallDue, fire, stream, upload, user } = actorsOn(service);
const mirrored = mirroredStreamsOn(service);
const [twitch, kick] = [twitchOfTest(), kickOfTest()];
const callbackURL = `${baseURL}/connections/callback`;
const { clock, pass } = mirrored;

const channels = [
  {
    name: 'twitch' as const,
    liveURL: 'https://www.twitch.tv/loops',
    key: twitch.key,
    platforms: (): ManagedPlatforms => ({
      twitch: createTwitchPlatform({ ...twitch.client, origins: twitch.origins, clock }),
    }),
    codeFor: (scopes: readonly string[]) => twitch.consent(scopes).code,
    /** The title, the category and the tags that the platform received last. */
    told: () => [twitch.channel.title, twitch.channel.game_id, twitch.channel.tags],
    forget: () => void (twitch.channel = { title: 'before', game_id: '1', tags: [] }),
  },
  {
    name: 'kick' as const,
    liveURL: 'https://kick.com/night%20loops',
    key: kick.key,
    platforms: (): ManagedPlatforms => ({ kick: createKickPlatform({ ...kick.client, origins: kick.origins, clock }) }),
    codeFor: (scopes: readonly string[]) => {
      kick.scopes = scopes;
      return 'a code';
    },
    told: () => {
      const named = kick.named as { stream_title: string; category_id?: number; custom_tags: string[] } | null;
      return named && [named.stream_title, String(named.category_id), named.custom_tags];
    },
    forget: () => void (kick.requests = []),
  },
];

describe.each(channels)('a stream on $name', ({ name, liveURL, key, platforms, codeFor, told, forget }) => {
  /** Acts as the owner of the channel, and as the page that the owner is redirected to. */
  async function consent(authorizeURL: string, scopes: readonly string[]): Promise<void> {
    const { pool, sealer, log } = service.service();
    const consents = createConsents(platforms(), sealer, callbackURL);
    const handler = withConsentCallback(createRestHandler(service.service()), { consents, pool, sealer, log });
    const state = new URL(authorizeURL).searchParams.get('state')!;
    const body = new URLSearchParams({ state, code: codeFor(scopes) });
    expect((await handler(new Request(callbackURL, { method: 'POST', body }), '192.0.2.1')).status).toBe(200);
  }
  const link = async (path: string, body: object) => {
    const { pool, sealer } = service.service();
    const consents = createConsents(platforms(), sealer, callbackURL);
    const handler = createRestHandler({ ...service.service(), pool, consents });
    const headers = { 'x-api-key': user().apiKey, 'content-type': 'application/json' };
    const request = new Request(baseURL + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await (await handler(request, '192.0.2.1')).json()) as { id: string; authorizeURL: string };
  };

  async function onChannel(more: object = {}, scopes = platforms()[name]!.scopes) {
    forget();
    const { id: connectionID, authorizeURL } = await link('/connections', { platform: name });
    await consent(authorizeURL, scopes);
    const settings = { connectionID, name: 'Night', titleTemplate: 'Night {n}', privacy: 'public', madeForKids: false };
    const managedSettingsID = await create('/managed-settings', { ...settings, categoryID: '15', ...more });
    const id = await create('/streams', { streamDestination: 'managed', managedSettingsID });
    const work = createPlatformsHandler(mirrored.options(platforms()));
    return {
      id,
      connectionID,
      managedSettingsID,
      work: async () => {
        const body = JSON.stringify({ connectionID });
        const { batchItemFailures } = await work({ Records: [{ messageId: '1', body }] } as Parameters<typeof work>[0]);
        expect(batchItemFailures).toEqual([]);
      },
      mirror: async () => (await stream(id)).mirror,
    };
  }

  it('gets the key of the channel, which is named while it is live and as its settings change', async () => {
    const { id, managedSettingsID, work, mirror } = await onChannel({ tags: ['loops'] });
    await mirrored.move(id, 'start');
    await work();
    expect(await mirror()).toMatchObject({ state: 'done', code: null });
    const { rows } = await service.pool().query('select * from platform_ingests where stream_id = $1', [id]);
    expect(mirrored.sealer.open(rows[0].sealed_key, `ingest/${id}`)).toBe(key);
    expect(told()).toEqual(['Night 1', '15', ['loops']]);
    expect((await stream(id)).watchURL).toBe(liveURL);

    const change = { titleTemplate: 'Day', categoryID: '16', tags: ['day'] };
    await call('PATCH', `/managed-settings/${managedSettingsID}`, change);
    await work();
    expect(told()).toEqual(['Day', '16', ['day']]);

    await mirrored.move(id, 'stop');
    await work();
    expect((await call('GET', `/streams/${id}/broadcasts`)).body.data).toMatchObject([
      { phase: 'ended', title: 'Day' },
    ]);
    expect(await stream(id)).toMatchObject({ watchURL: null, mirror: { state: 'done' } });
  });

  /** A timeline entry that plays new uploads of these names and lengths in seconds. */
  const playing = async (seconds: Readonly<Record<string, number>>) => {
    const items = await Promise.all(
      Object.entries(seconds).map(async ([name, durationSeconds]) => {
        const uploadID = await upload();
        await service.pool().query('update uploads set name = $2 where id = $1', [uploadID, name]);
        const played = { itemID: name, uploadID, objectKey: 'x', kind: 'video', hasAudio: true } as const;
        return { ...played, name, durationSeconds };
      }),
    );
    return { offsetSeconds: 0, playlistID: null, snapshot: { mode: 'sequential', seed: 1, items } } as const;
  };

  it('has the title of the song that plays over a picture, and not another one within five minutes', async () => {
    const { id, work } = await onChannel({ titleTemplate: 'Now: {item}' });
    const songs = await playing({ First: 400, Second: 100, Third: 400 });
    const background = await playing({ Background: 60 });
    await mirrored.move(id, 'start');
    await data().timelines.append(id, 'video', background);
    await data().timelines.append(id, 'audio', { ...songs, playlistID: 'ply_songs' });
    await service.pool().query('update streams set anchored_at = $2 where id = $1', [id, clock()]);
    await work();
    expect(told()![0]).toBe('Now: First');

    /** Advances the time, and carries out the work that is due then. */
    const after = async (seconds: number) => {
      pass(seconds);
      await fallDue(id, 'broadcast_rotation');
      await fire();
      await work();
      return told()![0];
    };
    expect(await after(399)).toBe('Now: First');
    expect(await after(2)).toBe('Now: Second');
    // The third has begun, a hundred seconds after the title was changed.
    expect(await after(110)).toBe('Now: Second');
    expect(await after(195)).toBe('Now: Third');
  });

  it('waits for the rights that its owner left out, and goes on once they are granted', async () => {
    const { id, connectionID, work, mirror } = await onChannel({}, platforms()[name]!.scopes.slice(1));
    await mirrored.move(id, 'start');
    await work();
    expect(await mirror()).toMatchObject({
      state: 'blocked',
      code: 'scope_missing',
      detail: expect.stringContaining('reauthorise_connection'),
    });
    const { authorizeURL } = await link(`/connections/${connectionID}/reauthorise`, {});
    await consent(authorizeURL, platforms()[name]!.scopes);
    await work();
    expect(await mirror()).toMatchObject({ state: 'done', code: null });
    expect(told()![0]).toBe('Night 1');
  });
});
