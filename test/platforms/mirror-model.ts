// One random life of a managed stream: its events, and the rules that must hold.
import type { Pool, PoolClient } from 'pg';
import { expect } from 'vitest';
import { wishOfState } from '../../lambda/domain/channels/mirror.ts';
import { nextState } from '../../lambda/domain/streams/stream-lifecycle.ts';
import type { StreamState, TransitionCause } from '../../lambda/domain/streams/stream-lifecycle.ts';
import { nextQuotaDay, quotaDay } from '../../lambda/domain/channels/platform-quota.ts';
import type { PlatformCall } from '../../lambda/ports/managed-platforms/broadcasts.ts';
import type { Actors } from '../support/actors.ts';
import type { MirroredStreams } from '../support/mirrored-streams.ts';
import type { TestService } from '../support/service.ts';

export type ModelCommand =
  | { readonly kind: 'start' | 'stop' | 'schedule' | 'cancel' | 'feed' | 'starve' | 'edit' | 'retry' | 'rotate' }
  | { readonly kind: 'endThere' | 'revoke' | 'connect' | 'exhaust' | 'busy' | 'recover' }
  /** Other channels use the rest of the day's quota, and the stream is stopped. */
  | { readonly kind: 'useUpAndStop' }
  /** The worker dies after this many statements and calls. */
  | { readonly kind: 'kill'; readonly after: number }
  /** The next call of a kind has no answer: it took effect, or it did not. */
  | { readonly kind: 'loseAnswer' | 'loseCall'; readonly call: PlatformCall }
  | { readonly kind: 'pass'; readonly seconds: number };

/** Longer than the lease of a killed worker. */
const leaseOverSeconds = 61;
const rotateAfterMinutes = 60;
const dailyUnits = 10_000;

/** @param secondsOfQuotaDay remaining seconds at the beginning of the life, independent of the real time */
export async function createModelRun(
  service: TestService,
  actors: Actors,
  mirrored: MirroredStreams,
  secondsOfQuotaDay: number,
) {
  await mirrored.reset();
  const untilNextDayMs = nextQuotaDay(mirrored.clock()).getTime() - mirrored.clock().getTime();
  mirrored.pass(untilNextDayMs / 1000 + 86_400 - secondsOfQuotaDay);
  const pool = service.pool();
  const { call } = actors;
  const channel = await mirrored.channel(actors.user(), { titleTemplate: 'Radio 0' });
  const { connectionID, platform, settingsID } = channel;
  const id = await actors.create('/streams', { streamDestination: 'managed', managedSettingsID: settingsID });
  const ingestID = `ingest of ${id}`;
  let edits = 0;
  let isRotating = false;
  let isDisturbed = false;
  let killAfter = Infinity;
  let counted = 0;
  let lost: { readonly call: PlatformCall; readonly when: 'before' | 'after' } | null = null;
  const violations: string[] = [];

  const state = async () => (await pool.query('select state from streams where id = $1', [id])).rows[0].state;

  /** A dead process does nothing more; its open transactions are rolled back. */
  const count = () => {
    counted += 1;
    if (counted >= killAfter) throw new Error('killed');
  };
  const mortal = <Part extends Pool | PoolClient>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (name === 'query')
          return async (text: string, values?: unknown[]) => {
            if (counted >= killAfter && text !== 'rollback') throw new Error('dead');
            const answer = await target.query(text, values);
            if (text !== 'rollback') count();
            return answer;
          };
        if (name === 'connect') return async () => mortal(await (target as Pool).connect());
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });

  platform.around = (what, when) => {
    if (counted >= killAfter) throw new Error('dead');
    if (lost?.call === what && lost.when === when) {
      lost = null;
      throw new Error('no answer');
    }
    if (when === 'after') count();
  };
  const broadcasts = { ...platform.broadcasts };
  platform.broadcasts.end = async (access, externalID, phase) => {
    const ended = platform.made.find((broadcast) => broadcast.id === externalID)!;
    const isLast = ended.phase === 'live' && platform.live().length === 1;
    if (isLast && wishOfState[(await state()) as StreamState] === 'live') violations.push(`${externalID} was ended`);
    return broadcasts.end(access, externalID, phase);
  };

  const move = async (cause: TransitionCause) => {
    if (nextState((await state()) as StreamState, cause)) await mirrored.move(id, cause);
  };

  const run = {
    async apply(command: ModelCommand): Promise<void> {
      switch (command.kind) {
        case 'start':
          return move('start');
        case 'stop':
          await move('stop');
          return move('replicas_ended');
        case 'schedule': {
          const scheduleStartAt = new Date(mirrored.clock().getTime() + 86_400_000).toISOString();
          await call('POST', `/streams/${id}/schedule`, { scheduleStartAt });
          return undefined;
        }
        case 'cancel':
          await call('DELETE', `/streams/${id}/schedule`);
          return undefined;
        case 'feed':
          return void platform.fed.add(ingestID);
        case 'starve':
          return void platform.fed.delete(ingestID);
        case 'edit':
          edits += 1;
          await call('PATCH', `/managed-settings/${settingsID}`, { titleTemplate: `Radio ${edits}` });
          return undefined;
        case 'retry':
          await call('PATCH', `/streams/${id}`, { retryMirror: true });
          return undefined;
        case 'rotate':
          isRotating = true;
          await call('PATCH', `/managed-settings/${settingsID}`, { rotateAfterMinutes });
          mirrored.pass(rotateAfterMinutes * 60);
          return undefined;
        case 'endThere': {
          const [first] = platform.open();
          if (first) platform.endThere(first.id);
          return undefined;
        }
        case 'revoke':
          return platform.tokens.clear();
        case 'connect':
          return channel.connect();
        case 'exhaust':
          platform.refuses = { code: 'quota_exhausted', reason: 'quotaExceeded' };
          return undefined;
        case 'useUpAndStop':
          await pool.query(
            `insert into platform_quota (platform, day, used_units) values ('youtube', $1::date, $2)
             on conflict (platform, day) do update set used_units = excluded.used_units`,
            [quotaDay(mirrored.clock()), dailyUnits],
          );
          if ((await state()) === 'scheduled') await call('DELETE', `/streams/${id}/schedule`);
          else {
            await move('stop');
            await move('replicas_ended');
          }
          return undefined;
        case 'busy':
          platform.mostLive = 0;
          return undefined;
        case 'recover':
          platform.refuses = null;
          platform.mostLive = 10;
          return undefined;
        case 'kill':
          isDisturbed = true;
          counted = 0;
          killAfter = command.after;
          return undefined;
        case 'loseAnswer':
        case 'loseCall':
          isDisturbed = true;
          lost = { call: command.call, when: command.kind === 'loseAnswer' ? 'after' : 'before' };
          return undefined;
        case 'pass':
          return mirrored.pass(command.seconds);
      }
    },

    /** Carries out the due commands. A command whose worker was killed is delivered again. */
    async work(): Promise<void> {
      const options = mirrored.options(
        { youtube: platform },
        { pool: mortal(pool), dailyUnits: { youtube: dailyUnits } },
      );
      try {
        await mirrored.work(connectionID, options);
      } catch (error) {
        if (counted < killAfter) throw error;
        killAfter = Infinity;
        mirrored.pass(leaseOverSeconds);
        await actors.data().outbox.send({ queue: 'platforms', body: { connectionID } });
      }
    },

    /**
     * States that must never occur: the end of a broadcast that should be live; two live ones, unless a rotation
     * overlaps; an end that waits for quota on the day on which it was reserved, without a failed attempt.
     */
    async contradictions(): Promise<readonly string[]> {
      const found = [...violations];
      const live = platform.live().map(({ id: externalID }) => externalID);
      if (live.length > (isRotating ? 2 : 1)) found.push(`${live.join(' and ')} are live`);
      if (isDisturbed || wishOfState[(await state()) as StreamState] !== 'none') return found;
      const { rows } = await pool.query(
        `select from mirror_intents i where stream_id = $1 and state = 'pending' and code = 'quota_exhausted'
           and not exists (select from platform_quota where exhausted_until > $2)
           and not exists (
             select from broadcasts b where b.stream_id = i.stream_id and b.reserved_day is distinct from $3
               and b.phase in ('prepared', 'starting', 'live'))`,
        [id, mirrored.clock(), quotaDay(mirrored.clock())],
      );
      return rows.length > 0 ? [...found, 'an end waits for units'] : found;
    },

    /** Ends all faults, and lets time pass until no work is left. */
    async settle(): Promise<void> {
      lost = null;
      killAfter = Infinity;
      platform.refuses = null;
      platform.mostLive = 10;
      // No media goes to a stream that should not be live: a new broadcast would start there by itself.
      if (wishOfState[(await state()) as StreamState] === 'live') platform.fed.add(ingestID);
      else platform.fed.delete(ingestID);
      await channel.connect();
      await pool.query(`update mirror_intents set created_at = created_at - interval '1 day'`);
      await call('PATCH', `/managed-settings/${settingsID}`, { rotateAfterMinutes: null });
      await call('PATCH', `/streams/${id}`, { retryMirror: true });
      for (let days = 0; days < 3; days++)
        await mirrored.workFor(86_400, connectionID, mirrored.options({ youtube: platform }));
    },

    /** Asserts that exactly the wished broadcasts exist, and that the database knows it. */
    async assertSettled(): Promise<void> {
      const wish = wishOfState[(await state()) as StreamState];
      const { mirror } = await actors.stream(id);
      expect(mirror).toMatchObject({ state: 'done', code: null });
      const open = platform.open().map(({ phase, boundTo, draft: { title } }) => ({ phase, boundTo, title }));
      const phase = wish === 'live' ? 'live' : 'prepared';
      expect(open).toEqual(wish === 'none' ? [] : [{ phase, boundTo: ingestID, title: `Radio ${edits}` }]);
      const { rows } = await pool.query(
        `select external_id from broadcasts where stream_id = $1 and phase in ('prepared', 'starting', 'live')`,
        [id],
      );
      expect(rows.map((row) => row.external_id)).toEqual(platform.open().map((broadcast) => broadcast.id));
    },

    async forget(): Promise<void> {
      await pool.query('delete from streams where id = $1', [id]);
      await pool.query('delete from connections where id = $1', [connectionID]);
      await pool.query('delete from outbox');
    },
  };
  return run;
}
