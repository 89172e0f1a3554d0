// The next check of incidents: at the first due time of a user's incidents, whichever was checked last.
import { expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { newID } from '../../../lambda/data/shared/new-id.ts';
import { all } from '../../../lambda/data/shared/queryable.ts';
import { reconcileAllIncidents } from '../../../lambda/orchestration/notices/reconcile-incidents.ts';
import { actorsOn } from '../../support/actors.ts';
import { clearAlerts, storeIncident } from '../../support/incidents.ts';
import { clearCommands } from '../../support/outbox-rows.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { activeStream, register, report, user } = actorsOn(service);

const reset = { reason: { code: 'unreachable', detail: 'No server accepts connections there.' } };
const settle = (afterUserID = '') =>
  reconcileAllIncidents({ pool: service.pool(), newID: (prefix) => newID(prefix, new Date()) }, afterUserID);
const timesOf = async (statement: string) =>
  (await all<{ at: Date }>(service.pool(), statement)).map(({ at }) => at.getTime());
const dueTimes = () => timesOf('select due_at as at from incidents where due_at is not null');
const commands = () => timesOf(`select visible_at as at from outbox where body ? 'incidents' order by at`);

it('one that is not due yet has its command, although others were looked at', async () => {
  await register('agent');
  for (const name of ['first', 'second']) {
    const { held } = await activeStream('agent', { name });
    await report(held[0]!, 'failing', reset);
  }
  await settle();
  const pool = service.pool();
  await pool.query(
    `update incidents set since = since - interval '1 minute', due_at = now() - interval '1 second'
     where seq = (select min(seq) from incidents where user_id = $1)`,
    [user().id],
  );
  await pool.query('delete from outbox');
  await settle();
  const [due, ...more] = await dueTimes();
  expect(more).toEqual([]);
  const [soon, ...later] = await commands();
  expect(later).toEqual([]);
  expect(soon).toBeLessThan(due!);
  await pool.query('delete from outbox');
  await settle();
  expect(await commands()).toEqual([due]);
  await settle();
  expect(await commands()).toEqual([due]);
});

it('those of more users than one command is for are left to another', async () => {
  const pool = service.pool();
  await clearAlerts(service);
  await clearCommands(service);
  await pool.query(
    `with made as (
       insert into users (id, email, name) select 'many_' || n, n || '@many.example', 'x' from generate_series(1, 201) n
       returning id)
     select note_signal(id, 'stream_away', id, null, null, 'wrong', '{"name": "x"}') from made`,
  );
  const sent = async () =>
    (await all<{ after: string }>(pool, `delete from outbox returning body ->> 'incidents' as after`)).map(
      ({ after }) => after,
    );
  const open = async () => (await all(pool, 'select from incidents')).length;
  expect(await sent()).toEqual(['']);
  await settle();
  expect(await open()).toBe(200);
  const next = (await sent()).find((after) => after !== '');
  await settle(next);
  expect(await open()).toBe(201);
});

it('a channel that an application made is told nothing of what waits, once that is disconnected', async () => {
  const pool = service.pool();
  const incident = await storeIncident(service, user().id, 'stream_away');
  await pool.query(
    `insert into alert_channels (id, user_id, client_id, name, kind, shown_target, events, after_seconds, enabled)
     values ('app', $1, 'client', 'app', 'email', '', '{stream_away}', 0, true),
       ('own', $1, null, 'own', 'email', '', '{stream_away}', 0, true)`,
    [user().id],
  );
  await pool.query(
    `insert into alert_notices (channel_id, incident_id, phase, due_at)
     select id, $1, 'began', now() from alert_channels`,
    [incident],
  );
  await databaseOn(pool).applications.disconnect(user().id, 'client');
  const left = 'select channel_id as id, c.enabled from alert_notices join alert_channels c on c.id = channel_id';
  expect(await all(pool, left)).toEqual([{ id: 'own', enabled: true }]);
});
