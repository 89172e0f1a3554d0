// Every aggregate's SQL behind one object, bound to a pool or to a transaction.
import type { Pool } from 'pg';
import { activeTraceparent } from '../telemetry/spans.ts';
import { agentRenewals } from './agent-renewals.ts';
import { agents } from './agents.ts';
import { alertChannels } from './alert-channels.ts';
import { alertNotices } from './alert-notices.ts';
import { apiKeys } from './api-keys.ts';
import { applications } from './applications.ts';
import { blockedContents } from './blocked-contents.ts';
import { broadcasts } from './broadcasts.ts';
import { changes } from './changes.ts';
import { connections } from './connections.ts';
import { creditAccounts } from './credit-accounts.ts';
import { cryptoDeposits } from './crypto-deposits.ts';
import { dataKeys } from './data-keys.ts';
import { destinationChecks } from './destination-checks.ts';
import { destinations } from './destinations.ts';
import { dueTimes } from './due-times.ts';
import { expiredCredentials } from './expired-credentials.ts';
import { figures } from './figures.ts';
import { frames } from './frames.ts';
import { guideLinks } from './guide-links.ts';
import { idempotency } from './idempotency.ts';
import { imports } from './imports.ts';
import { incidents } from './incidents.ts';
import { inspections } from './inspections.ts';
import { invoices } from './invoices.ts';
import { ledger } from './ledger.ts';
import { limits } from './limits.ts';
import { liveIntervals } from './live-intervals.ts';
import { captions } from './captions.ts';
import { looks } from './looks.ts';
import { managedSettings } from './managed-settings.ts';
import { managedStreams } from './managed-streams.ts';
import { mediaClaims } from './media-claims.ts';
import { mirrorIntents } from './mirror-intents.ts';
import { multiparts } from './multiparts.ts';
import { notifications } from './notifications.ts';
import { operatorCommands } from './operator-commands.ts';
import { orphanedRenditions } from './orphaned-renditions.ts';
import { outbox } from './outbox.ts';
import { outputs } from './outputs.ts';
import { payments } from './payments.ts';
import { places } from './places.ts';
import { platformIngests } from './platform-ingests.ts';
import { playlists } from './playlists.ts';
import { preparedShares } from './prepared-shares.ts';
import { preparedUploads } from './prepared-uploads.ts';
import { previews } from './previews.ts';
import type { Queryable } from './queryable.ts';
import { reconciliation } from './reconciliation.ts';
import { renditionEncoders } from './rendition-encoders.ts';
import { renditions } from './renditions.ts';
import { replicaClaims } from './replica-claims.ts';
import { replicaLosses } from './replica-losses.ts';
import { replicas } from './replicas.ts';
import { requestWindows } from './request-windows.ts';
import { runs } from './runs.ts';
import { securityEvents } from './security-events.ts';
import { series } from './series.ts';
import { signingKeys } from './signing-keys.ts';
import { sourceFiles } from './source-files.ts';
import { sources } from './sources.ts';
import { storageCharges } from './storage-charges.ts';
import { streamParts } from './stream-parts.ts';
import { streamSounds } from './stream-sounds.ts';
import { joins } from './joins.ts';
import { streamLists } from './stream-lists.ts';
import { streamMoves } from './stream-moves.ts';
import { streams } from './streams.ts';
import { timelines } from './timelines.ts';
import { tokenRevocations } from './token-revocations.ts';
import { uploadLists } from './upload-lists.ts';
import { uploadUses } from './upload-uses.ts';
import { uploads } from './uploads.ts';
import { usage } from './usage.ts';
import { users } from './users.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhooks } from './webhooks.ts';

/** The statements of all aggregates, bound to a pool or to a transaction. */
export type Database = ReturnType<typeof databaseOn>;

/** Binds the statements to a pool (each statement by itself) or to a client within a transaction. */
export function databaseOn(db: Queryable) {
  return {
    /** The database's time. Timelines go by it, so that all processes agree. */
    now: async () => (await db.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]!.now,
    agents: { ...agents(db), ...agentRenewals(db) },
    alertChannels: alertChannels(db),
    alertNotices: alertNotices(db),
    apiKeys: apiKeys(db),
    applications: applications(db),
    blockedContents: blockedContents(db),
    broadcasts: broadcasts(db),
    changes: changes(db),
    connections: connections(db),
    creditAccounts: creditAccounts(db),
    cryptoDeposits: cryptoDeposits(db),
    dataKeys: dataKeys(db),
    destinationChecks: destinationChecks(db),
    destinations: destinations(db),
    dueTimes: dueTimes(db),
    expiredCredentials: expiredCredentials(db),
    figures: figures(db),
    frames: frames(db),
    guideLinks: guideLinks(db),
    idempotency: idempotency(db),
    imports: imports(db),
    incidents: incidents(db),
    inspections: inspections(db),
    invoices: invoices(db),
    ledger: ledger(db),
    limits: limits(db),
    liveIntervals: liveIntervals(db),
    captions: captions(db),
    looks: looks(db),
    managedSettings: managedSettings(db),
    managedStreams: managedStreams(db),
    mediaClaims: mediaClaims(db),
    mirrorIntents: mirrorIntents(db),
    multiparts: multiparts(db),
    notifications: notifications(db),
    operatorCommands: operatorCommands(db),
    orphanedRenditions: orphanedRenditions(db),
    outbox: outbox(db),
    outputs: outputs(db),
    payments: payments(db),
    places: places(db),
    platformIngests: platformIngests(db),
    playlists: playlists(db),
    preparedUploads: preparedUploads(db),
    previews: previews(db),
    reconciliation: reconciliation(db),
    renditionEncoders: renditionEncoders(db),
    renditions: { ...renditions(db), ...preparedShares(db) },
    replicas: { ...replicas(db), ...replicaClaims(db), ...replicaLosses(db) },
    requestWindows: requestWindows(db),
    runs: runs(db),
    securityEvents: securityEvents(db),
    series: series(db),
    signingKeys: signingKeys(db),
    sourceFiles: sourceFiles(db),
    sources: sources(db),
    storageCharges: storageCharges(db),
    streamParts: streamParts(db),
    streamSounds: streamSounds(db),
    joins: joins(db),
    streams: { ...streams(db), ...streamLists(db), ...streamMoves(db) },
    timelines: timelines(db),
    tokenRevocations: tokenRevocations(db),
    uploads: { ...uploads(db), ...uploadLists(db), ...uploadUses(db) },
    usage: usage(db),
    users: users(db),
    webhookDeliveries: webhookDeliveries(db),
    webhooks: webhooks(db),
  };
}

/** The errors by which Postgres ends one transaction for the sake of another: serialization failure, deadlock. */
const retriableErrors = new Set(['40001', '40P01']);
const maxAttempts = 4;

/**
 * Runs `work` in one transaction: all of it is committed, or, when it throws, nothing. Where Postgres ends the
 * transaction for the sake of another one, `work` is run again. So it may do nothing that a rollback does not undo.
 * @param bind binds the statements that `work` gets to the transaction
 */
export async function inTransaction<Result, Statements = Database>(
  pool: Pool,
  work: (data: Statements) => Promise<Result>,
  bind: (db: Queryable) => Statements = databaseOn as unknown as (db: Queryable) => Statements,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(pool, (client) => work(bind(client)));
    } catch (error) {
      if (attempt === maxAttempts || !retriableErrors.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

async function tryTransaction<Result>(pool: Pool, work: (db: Queryable) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const noteBroken = (error: Error) => void (broken = error);
  // Without a listener, a connection that is lost between two statements would end the process.
  client.on('error', noteBroken);
  try {
    const traceparent = activeTraceparent();
    await client.query(traceparent === null ? 'begin' : `begin; set local loop.traceparent = '${traceparent}'`);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(noteBroken);
    throw error;
  } finally {
    client.off('error', noteBroken);
    client.release(broken);
  }
}
