// Roles of the database: of the service, and of the live ingest with fewer rights. Decision D277.
import type { Pool } from 'pg';
import { statementSeconds } from '../data/shared/statement-time.ts';
import { liveIngestRole, serviceRole } from './environment.ts';

const roles = [serviceRole, liveIngestRole] as const;

/** A role without a password: RDS verifies its IAM token. It owns nothing, so it may not change the schema. */
const roleSQL = (role: string) => `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${role}') then create role ${role} login; end if;
    if exists (select from pg_roles where rolname = 'rds_iam') then grant rds_iam to ${role}; end if;
  end $$;
  alter role ${role} set statement_timeout = '${statementSeconds}s';`;

const commonRights = `
  grant usage on schema public to ${roles.join(', ')};
  grant usage on all sequences in schema public to ${roles.join(', ')};
  revoke execute on function is_funded(text) from public;
  grant execute on function is_funded(text) to ${roles.join(', ')};`;

const serviceRights = `
  grant select, insert, update, delete on all tables in schema public to ${serviceRole};
  revoke update, delete on operator_commands, operator_outcomes from ${serviceRole};`;

/**
 * The live ingest reads bytes of strangers. It reaches takeovers and what their triggers record: no key or password, no
 * address of a user, nothing that costs or pays, and no medium. To lock a row takes the right to update a column of it.
 */
const liveIngestRights = `
  revoke all on all tables in schema public from ${liveIngestRole};
  grant select on live_inputs, live_sessions, live_recordings, takeovers, takeover_intervals, streams,
    stream_transitions, programmes, timeline_entries, timeline_levels, replicas, outputs, incidents, incident_signals,
    outbox, webhook_deliveries to ${liveIngestRole};
  grant select (id, default_quality, default_framerate, is_at_rest) on users to ${liveIngestRole};
  grant select (id, name) on destinations to ${liveIngestRole};
  grant select (id, user_id) on events to ${liveIngestRole};
  grant select (id, user_id, events, enabled, silent_until), update (silent_until) on webhooks to ${liveIngestRole};
  grant insert on live_sessions, takeovers, takeover_intervals, changes, incident_signals, outbox, events,
    webhook_deliveries to ${liveIngestRole};
  grant update on live_sessions, takeovers, takeover_intervals to ${liveIngestRole};
  grant update (timeline_revision) on replicas to ${liveIngestRole};
  grant update (updated_at) on streams, live_inputs to ${liveIngestRole};
  grant delete on takeovers to ${liveIngestRole};`;

/** Creates the roles that the server of the pool does not have. */
export async function createRoles(pool: Pool): Promise<void> {
  await pool.query(roles.map(roleSQL).join(''));
}

/** Gives each role the rights that it has in this version, and takes all others from it. @param pool of the owner */
export async function grantRights(pool: Pool): Promise<void> {
  await pool.query(commonRights + serviceRights + liveIngestRights);
}
