// The parameters of a stage's Postgres that differ from those of RDS.
import { maxConnections } from './connection-budget.ts';

/** Statements that take longer are in Postgres' own log. */
export const slowStatementMs = 1000;

/**
 * Values of users are in parameters of statements and in details of errors (“Key (email)=(…) already exists”), so
 * neither is logged. A statement in the log has its text, with `$1` in place of a value.
 * @param databaseInstanceClass one that `faultOfConnections` allows
 */
export function postgresParameters(databaseInstanceClass: string): Readonly<Record<string, string>> {
  return {
    // A constant, and not the formula of RDS: decision D191.
    max_connections: String(maxConnections(databaseInstanceClass)),
    log_min_duration_statement: String(slowStatementMs),
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_error_verbosity: 'terse',
    // The default since Postgres 15. A client without TLS is refused, whatever a later default is.
    'rds.force_ssl': '1',
  };
}
