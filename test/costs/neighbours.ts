// Rows beside an operation: live streams of others, and idle streams, uploads and webhooks of its user.
import type { Pool } from 'pg';
import { insertAgents, insertLiveStreams, insertUsers, usersOfAll } from '../support/stage-rows.ts';

const group = 'beside_';
const agentsOfAll = 20;
/** Idle streams of the user, as a share of the neighbours: no user has as many as all others together. */
const ownShare = 0.1;

/** Inserts neighbours up to this number. @param areGathered whether statistics are gathered afterwards */
export async function insertNeighbours(pool: Pool, userID: string, count: number, areGathered = true): Promise<void> {
  const [users, agents] = [Math.min(count, usersOfAll), Math.min(count, agentsOfAll)];
  await insertUsers(pool, users, group);
  await insertAgents(pool, agents, 0, group);
  const [user, endsAt] = [`s % ${users}`, `now() + interval '1 day'`];
  await insertLiveStreams(pool, { count, agents, backend: 'ffmpeg', group, ownerGroup: group, user, endsAt });
  await pool.query(
    `insert into webhooks (id, user_id, url, events, sealed_secret, last_delivered_at)
     select 'whk_' || u, 'usr_' || u, 'https://' || n || '.example', '{stream.state_changed}', '', now()
     from generate_series(0, $1::int - 1) n cross join lateral (select $2::text || n as u) of_user
     on conflict do nothing`,
    [users, group],
  );
  await pool.query(
    `with happened as (
       insert into events (id, user_id, type, subject_id, data)
       select 'evt_' || $3 || n, 'usr_' || $3 || n % $2, 'stream.state_changed', 'str_' || $3 || n, '{}'
       from generate_series(1, $1::int) n on conflict do nothing returning id, user_id)
     insert into webhook_deliveries (event_id, webhook_id, state)
     select h.id, w.id, 'delivered' from happened h join webhooks w using (user_id)`,
    [count, users, group],
  );
  await pool.query(
    `insert into streams (id, user_id, state)
     select 'str_own_' || n, $2, 'draft' from generate_series(1, $1::int) n on conflict do nothing`,
    [Math.ceil(count * ownShare), userID],
  );
  await pool.query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, probe_state)
     select 'upl_own_' || n, $2, 'clip ' || n, 'video/mp4', 'video', 'uploads/' || n, true, 'completed'
     from generate_series(1, $1::int) n on conflict do nothing`,
    [count, userID],
  );
  if (areGathered) await pool.query('vacuum analyze');
}
