// Every aggregate's SQL behind one object, bound to a pool or to a transaction.
import type { Pool, PoolClient, QueryResult } from 'pg';
import { activeTraceparent } from '../telemetry/spans.ts';
import { agentRenewals } from './fleet/agent-renewals.ts';
import { agents } from './fleet/agents.ts';
import { alertChannels } from './notices/alert-channels.ts';
import { alertNotices } from './notices/alert-notices.ts';
import { apiKeys } from './accounts/api-keys.ts';
import { applications } from './accounts/applications.ts';
import { bindingOf } from './shared/bind-aggregates.ts';
import { blockedContents } from './media/blocked-contents.ts';
import { broadcasts } from './channels/broadcasts.ts';
import { captions } from './playout/captions.ts';
import { assertMayChange, beginChange, changeBounds, errorOfChange } from './shared/change-bounds.ts';
import type { BegunChange, ChangeBounds } from './shared/change-bounds.ts';
import { changes } from './notices/changes.ts';
import { collections } from './media/collections.ts';
import { connections } from './channels/connections.ts';
import { creditAccounts } from './billing/credit-accounts.ts';
import { cryptoDeposits } from './billing/crypto-deposits.ts';
import { dataKeys } from './shared/data-keys.ts';
import { deviceCodes } from './accounts/device-codes.ts';
import { destinationChecks } from './destinations/destination-checks.ts';
import { destinations } from './destinations/destinations.ts';
import { dueTimes } from './streams/due-times.ts';
import { expiredCredentials } from './accounts/expired-credentials.ts';
import { figures } from './fleet/figures.ts';
import { frames } from './playout/frames.ts';
import { guideLinks } from './playout/guide-links.ts';
import { idempotency } from './shared/idempotency.ts';
import { imports } from './sources/imports.ts';
import { incidents } from './notices/incidents.ts';
import { inspections } from './media/inspections.ts';
import { invoices } from './billing/invoices.ts';
import { joins } from './playout/joins.ts';
import { ledger } from './billing/ledger.ts';
import { limits } from './accounts/limits.ts';
import { liveInputs } from './live/live-inputs.ts';
import { liveIntervals } from './billing/live-intervals.ts';
import { liveRecordings } from './live/live-recordings.ts';
import { liveSessions } from './live/live-sessions.ts';
import { looks } from './playout/looks.ts';
import { managedSettings } from './channels/managed-settings.ts';
import { managedStreams } from './channels/managed-streams.ts';
import { mediaClaims } from './media/media-claims.ts';
import { mirrorIntents } from './channels/mirror-intents.ts';
import { multiparts } from './media/multiparts.ts';
import { notifications } from './notices/notifications.ts';
import { operatorCommands } from './shared/operator-commands.ts';
import { orphanedRenditions } from './media/orphaned-renditions.ts';
import { outbox } from './shared/outbox.ts';
import { outputs } from './destinations/outputs.ts';
import { payments } from './billing/payments.ts';
import { places } from './shared/places.ts';
import { platformIngests } from './channels/platform-ingests.ts';
import { playlists } from './playout/playlists.ts';
import { programmes } from './programme/programmes.ts';
import { guestRequests } from './programme/guest-requests.ts';
import { queuedItems } from './programme/queued-items.ts';
import { preparedShares } from './media/prepared-shares.ts';
import { preparedUploads } from './media/prepared-uploads.ts';
import { previews } from './fleet/previews.ts';
import type { Queryable } from './shared/queryable.ts';
import { reconciliation } from './billing/reconciliation.ts';
import { renditionEncoders } from './media/rendition-encoders.ts';
import { renditions } from './media/renditions.ts';
import { replicaClaims } from './fleet/replica-claims.ts';
import { replicaLosses } from './fleet/replica-losses.ts';
import { replicas } from './fleet/replicas.ts';
import { requestWindows } from './shared/request-windows.ts';
import { runs } from './playout/runs.ts';
import { securityEvents } from './accounts/security-events.ts';
import { series } from './fleet/series.ts';
import { sessions } from './accounts/sessions.ts';
import { signingKeys } from './accounts/signing-keys.ts';
import { sourceFiles } from './sources/source-files.ts';
import { sources } from './sources/sources.ts';
import { storageCharges } from './billing/storage-charges.ts';
import { streamLists } from './streams/stream-lists.ts';
import { streamMoves } from './streams/stream-moves.ts';
import { streamParts } from './streams/stream-parts.ts';
import { streams } from './streams/streams.ts';
import { streamSounds } from './playout/stream-sounds.ts';
import { slates } from './live/slates.ts';
import { takeovers } from './live/takeovers.ts';
import { timelines } from './playout/timelines.ts';
import { tokenRevocations } from './accounts/token-revocations.ts';
import { uploadLists } from './media/upload-lists.ts';
import { uploads } from './media/uploads.ts';
import { uploadUses } from './media/upload-uses.ts';
import { usage } from './billing/usage.ts';
import { users } from './accounts/users.ts';
import { webhookDeliveries } from './notices/webhook-deliveries.ts';
import { webhooks } from './notices/webhooks.ts';

/** The aggregates that all functions need: the function that binds each to a pool or a client. */
export const aggregates = {
  agentRenewals,
  agents,
  alertChannels,
  alertNotices,
  apiKeys,
  applications,
  blockedContents,
  broadcasts,
  captions,
  changeBounds,
  changes,
  collections,
  connections,
  creditAccounts,
  cryptoDeposits,
  dataKeys,
  deviceCodes,
  destinationChecks,
  destinations,
  dueTimes,
  expiredCredentials,
  figures,
  frames,
  guestRequests,
  guideLinks,
  idempotency,
  imports,
  incidents,
  inspections,
  invoices,
  joins,
  ledger,
  limits,
  liveInputs,
  liveIntervals,
  liveRecordings,
  liveSessions,
  looks,
  managedSettings,
  managedStreams,
  mediaClaims,
  mirrorIntents,
  multiparts,
  notifications,
  /** The time of the database, which all processes use for timelines. */
  now: (db: Queryable) => async () => (await db.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]!.now,
  operatorCommands,
  orphanedRenditions,
  outbox,
  outputs,
  payments,
  places,
  platformIngests,
  playlists,
  programmes,
  preparedShares,
  preparedUploads,
  previews,
  queuedItems,
  reconciliation,
  renditionEncoders,
  renditions,
  replicaClaims,
  replicaLosses,
  replicas,
  requestWindows,
  runs,
  securityEvents,
  series,
  sessions,
  signingKeys,
  sourceFiles,
  sources,
  storageCharges,
  streamLists,
  streamMoves,
  streamParts,
  streams,
  streamSounds,
  slates,
  takeovers,
  timelines,
  tokenRevocations,
  uploadLists,
  uploads,
  uploadUses,
  usage,
  users,
  webhookDeliveries,
  webhooks,
};

/** Binds the aggregates to a pool (each statement by itself) or to a client within a transaction. */
export const databaseOn = bindingOf(aggregates);

/** The statements of all aggregates, bound to a pool or to a transaction. */
export type Database = ReturnType<typeof databaseOn>;

/** The errors that end one transaction in favour of another: serialization failure, deadlock. */
const retriableErrors = new Set(['40001', '40P01']);
const maxAttempts = 4;

/**
 * Runs `work` in one transaction: all of it is committed or, if it throws, nothing. If Postgres ends the transaction in
 * favour of another one, `work` runs again. So `work` does nothing that a rollback does not undo.
 * @param bind binds the aggregates that `work` gets to the transaction
 */
export function inTransaction<Result, Statements = Database>(
  pool: Pool,
  work: (data: Statements) => Promise<Result>,
  bind: (db: Queryable) => Statements = databaseOn as unknown as (db: Queryable) => Statements,
): Promise<Result> {
  return retrying(() => tryTransaction(pool, null, (client) => work(bind(client))));
}

/**
 * Runs a change that a user has requested, as `inTransaction` does.
 * @param bounds null: `work` bounds it
 * @param assertMayContinue throws if a further statement of `work` may not begin
 * @throws {ChangeRefused} as many changes are under way, or a lock was not free in time. Nothing has changed
 */
export async function inChange<Result>(
  pool: Pool,
  bounds: ChangeBounds | null,
  work: (data: Database) => Promise<Result>,
  assertMayContinue = () => {},
): Promise<Result> {
  try {
    const checked = (client: Queryable): Queryable => ({
      query: async (statement, values) => {
        assertMayContinue();
        return client.query(statement, values);
      },
    });
    return await retrying(() => tryTransaction(pool, bounds, (client) => work(databaseOn(checked(client)))));
  } catch (error) {
    throw errorOfChange(error);
  }
}

async function retrying<Result>(attemptOnce: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce();
    } catch (error) {
      if (attempt === maxAttempts || !retriableErrors.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

/** @param bounds null: neither the number of such transactions nor their waits are bounded */
async function tryTransaction<Result>(
  pool: Pool,
  bounds: ChangeBounds | null,
  work: (db: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const recordBroken = (error: Error) => void (broken = error);
  // Without a listener, a connection that breaks between two statements would end the process.
  client.on('error', recordBroken);
  try {
    await begin(client, bounds);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(recordBroken);
    throw error;
  } finally {
    client.off('error', recordBroken);
    client.release(broken);
  }
}

/** Begins a transaction in one round trip. */
async function begin(client: PoolClient, bounds: ChangeBounds | null): Promise<void> {
  const traceparent = activeTraceparent();
  const statements = [
    'begin',
    ...(traceparent === null ? [] : [`set local loop.traceparent = '${traceparent}'`]),
    bounds === null ? 'select begin_work()' : beginChange(bounds),
  ];
  // The driver has a list of results for several statements.
  const results: QueryResult<BegunChange>[] = [await client.query(statements.join('; '))].flat();
  if (bounds) assertMayChange(results.at(-1)!.rows[0]!, bounds);
}
