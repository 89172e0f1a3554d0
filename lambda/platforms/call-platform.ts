// Makes the call of a step, and returns how to record its answer.
import { buffer } from 'node:stream/consumers';
import type { OpenBroadcastRow } from '../data/channels/broadcast-work.ts';
import type { MirrorDatabase } from '../data/mirror-database.ts';
import { wordsOfMirror, retryAtOf } from '../domain/channels/mirror-retries.ts';
import { ingestKeyPlace } from '../domain/shared/sealed-places.ts';
import type { InsertedBroadcast, Observation } from '../ports/managed-platforms/broadcasts.ts';
import { launchOnIngest } from '../orchestration/runs/launch-stream.ts';
import { PlatformRefusal } from '../ports/managed-platforms/managed-platform.ts';
import type { ManagedPlatform } from '../ports/managed-platforms/managed-platform.ts';
import { closeBroadcast } from './close-broadcast.ts';
import type { BegunStep } from './begin-step.ts';
import type { MirrorOptions } from './mirror-options.ts';

/** Records the answer of a call, in the second transaction of the step. */
export type RecordResult = (data: MirrorDatabase, now: Date) => Promise<unknown>;

/** @throws {PlatformRefusal} */
export async function callPlatform(
  options: Pick<MirrorOptions, 'objects' | 'sealer' | 'random'>,
  platform: ManagedPlatform,
  access: string,
  begun: BegunStep,
): Promise<RecordResult> {
  const { mirror, step } = begun;
  if (step.do === 'ensureIngest') return ensureIngest(options, platform, access, begun);
  if (step.do === 'describe') return describe(platform, access, begun);
  const broadcasts = platform.broadcasts!;
  switch (step.do) {
    case 'insert': {
      const made = await broadcasts.insert(access, begun.draft!);
      return (data, now) => data.broadcastWork.markMade(begun.makingID!, made.externalID, made.watchURL, now);
    }
    case 'find': {
      const { title, scheduled_start_at: scheduledStartAt } = step.broadcast;
      const found = await broadcasts.find(access, { title, scheduledStartAt });
      return (data, now) => recordFound(data, begun, step.broadcast, found, now);
    }
    case 'observe': {
      const observed = await broadcasts.observe(
        access,
        step.broadcasts.map(({ external_id: id }) => id!),
      );
      return (data, now) => recordObserved(data, options, begun, platform, { all: step.broadcasts, observed, now });
    }
  }
  const { broadcast } = step;
  const externalID = broadcast.external_id!;
  switch (step.do) {
    case 'bind':
      await broadcasts.bind(access, externalID, mirror.ingest!.external_id!);
      return (data) => data.broadcastWork.markDone(broadcast.id, 'bound');
    case 'update': {
      const { phase } = broadcast;
      await broadcasts.update(access, externalID, begun.draft!, phase);
      return (data, now) => data.broadcastWork.markDescribed(broadcast.id, { ...begun.draft!, ...begun }, now);
    }
    case 'thumbnail': {
      const { id: uploadID, object_key: key, mime_type: mimeType } = mirror.thumbnail!;
      const bytes = await buffer(await options.objects.read(key));
      await broadcasts.setThumbnail(access, externalID, { mimeType: mimeType as 'image/jpeg' | 'image/png', bytes });
      return (data) => data.broadcastWork.markThumbnail(broadcast.id, uploadID);
    }
    case 'goLive': {
      const reached = await broadcasts.goLive(access, externalID);
      return async (data, now) => {
        if (reached === 'waiting')
          await data.broadcastWork.saveObserved(broadcast.id, { isActive: false, health: null, now });
        else await data.broadcastWork.setPhase(broadcast.id, reached, now);
      };
    }
    case 'end':
      await broadcasts.end(access, externalID, broadcast.phase);
      return async (data, now) => {
        await closeBroadcast(data, mirror, broadcast, 'ended', now);
        await data.mirrorWork.wakeBusy(mirror.connection.id, now);
      };
  }
}

async function ensureIngest(
  { sealer }: Pick<MirrorOptions, 'sealer'>,
  platform: ManagedPlatform,
  access: string,
  { mirror: { stream, connection, ingest: held } }: BegunStep,
): Promise<RecordResult> {
  const ingest = await platform.ensureIngest(access, {
    label: stream.id,
    heldID: held?.connection_id === connection.id ? held.external_id : null,
    accountID: connection.account_id!,
  });
  const sealedKey = sealer.seal(ingest.key, ingestKeyPlace(stream.id));
  return async (data) => {
    await data.platformIngests.save({
      stream_id: stream.id,
      connection_id: connection.id,
      external_id: ingest.externalID,
      url: ingest.url,
      backup_url: ingest.backupURL,
      sealed_key: sealedKey,
    });
    // The stream may have been started before it had an address, and waits for it.
    await launchOnIngest(data, stream.id);
  };
}

async function describe(platform: ManagedPlatform, access: string, begun: BegunStep): Promise<RecordResult> {
  const { mirror, step, draft, describedHash } = begun;
  const { title, categoryID, tags } = draft!;
  await platform.describe?.(access, { accountID: mirror.connection.account_id!, title, categoryID, tags });
  const { id } = (step as { readonly broadcast: OpenBroadcastRow }).broadcast;
  return (data, now) => data.broadcastWork.markDescribed(id, { ...draft!, describedHash }, now);
}

/** The unknown broadcast is the lost one. If there is none in two searches, a minute apart, it was never created. */
async function recordFound(
  data: MirrorDatabase,
  { mirror: { connection, intent } }: BegunStep,
  lost: OpenBroadcastRow,
  found: readonly InsertedBroadcast[],
  now: Date,
): Promise<void> {
  const known = await data.broadcastWork.known(
    connection.id,
    found.map(({ externalID }) => externalID),
  );
  const [match, ...others] = found.filter(({ externalID }) => !known.has(externalID));
  if (others.length > 0) {
    const detail =
      `${others.length + 1} broadcasts of this title and start are on the channel, and one is ours. ` +
      'Delete all but one there, then set retryMirror.';
    await data.mirrorWork.fail(intent, connection.id, { code: 'rejected', detail, retryAt: null });
  } else if (match) await data.broadcastWork.markMade(lost.id, match.externalID, match.watchURL, now);
  else if (lost.missed_at === null) await data.broadcastWork.markMissed(lost.id, now);
  else await data.broadcastWork.markUnmade(lost.id);
}

async function recordObserved(
  data: MirrorDatabase,
  { random }: Pick<MirrorOptions, 'random'>,
  { mirror: { connection, intent, facts } }: BegunStep,
  platform: ManagedPlatform,
  { all, observed, now }: { all: readonly OpenBroadcastRow[]; observed: readonly Observation[]; now: Date },
): Promise<void> {
  let hasEnded = false;
  for (const { id, external_id: externalID, phase } of all) {
    const seen = observed.find((candidate) => candidate.externalID === externalID);
    if (!seen || seen.phase === 'ended') {
      await data.broadcastWork.setPhase(id, 'ended', now);
      hasEnded = true;
      continue;
    }
    const isActive = seen.ingest === 'unknown' ? null : seen.ingest === 'active';
    await data.broadcastWork.saveObserved(id, { isActive, health: seen.health, now });
    if (seen.phase !== phase) await data.broadcastWork.setPhase(id, seen.phase, now);
  }
  if (!hasEnded || facts.wish.kind !== 'live') return;
  const code = 'ended_there';
  await data.mirrorWork.fail(intent, connection.id, {
    code,
    detail: wordsOfMirror(code, platform.title, ''),
    retryAt: retryAtOf(code, intent.attempts + 1, { now, askedFor: null, random }),
  });
}

/** The reason of a refusal that the platform did not send. */
export const ownFailure = 'ours';

/** Wraps our own failure during a call. The platform may or may not have received the request. */
export function asRefusal(error: unknown): PlatformRefusal {
  return error instanceof PlatformRefusal ? error : new PlatformRefusal('unavailable', ownFailure, { cause: error });
}
