// Turns reports of agents into costs.
// A live replica has an open live interval. The cost of an ended interval is taken from the credits of the user.
// Decision D16.
import type { Database } from '../../data/database.ts';
import type { ReplicaRole } from '../../data/fleet/replicas.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { outlookOf, priceOf } from '../../domain/billing/credits.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The columns of a stream that metering needs. Without quality and framerate it has never run. */
type MeteredStream = Locked<Pick<Stream, 'id' | 'user_id' | 'run_quality' | 'run_framerate'>>;

/** A stream whose replicas have changed, and the time of the observation by the clock of the database. */
export interface ReplicaChange {
  readonly stream: MeteredStream;
  readonly at: Date;
}

/** Meters one stream, as `meterStreams` does. */
export function meterStream(
  data: Database,
  stream: MeteredStream,
  at: Date,
  price: typeof priceOf = priceOf,
): Promise<void> {
  return meterStreams(data, [{ stream, at }], { price });
}

/**
 * Begins and ends live intervals after the replicas of streams have changed, in the same transaction. The number of
 * statements depends neither on the number of streams nor on how long replicas were live. Writes nothing if no replica
 * went live or stopped being live.
 * @param options.areFiguresKept whether the rows of the streams have the last figures of their agents
 */
export async function meterStreams(
  data: Database,
  changes: readonly ReplicaChange[],
  { price = priceOf, areFiguresKept = false }: { price?: typeof priceOf; areFiguresKept?: boolean } = {},
): Promise<void> {
  const metered = changes.flatMap(({ stream: { id, run_quality: quality, run_framerate: framerate }, at }) => {
    if (quality === null || framerate === null) return [];
    const priceAs = (role: ReplicaRole, isFurther: boolean) => price({ role, quality, framerate, isFurther }, at);
    const pricesOf = (role: ReplicaRole) => ({ first: priceAs(role, false), further: priceAs(role, true) });
    return [{ streamID: id, prices: { primary: pricesOf('primary'), backup: pricesOf('backup') }, at }];
  });
  if (metered.length === 0) return;
  const changed = await data.liveIntervals.updateFromReplicas(metered, areFiguresKept);
  if (changed.length === 0) return;
  await data.creditAccounts.lock(...changed.map(({ user_id: userID }) => userID));
  await data.ledger.takeAll(
    changed.flatMap(({ spent_as: spentAs, user_id: userID, ended_at: endedAt, credits }) =>
      endedAt === null
        ? []
        : [{ userID, cause: 'usage', reference: String(spentAs), credits, account: 'usage', at: endedAt }],
    ),
  );
  await reassessAll(data, latestChangeOfUsers(changes, new Set(changed.map(({ user_id: userID }) => userID))));
}

function latestChangeOfUsers(changes: readonly ReplicaChange[], users: ReadonlySet<string>): Map<string, Date> {
  const latest = new Map<string, Date>();
  for (const { stream, at } of changes) {
    const known = latest.get(stream.user_id);
    if (users.has(stream.user_id) && (known === undefined || known < at)) latest.set(stream.user_id, at);
  }
  return latest;
}

/** Computes when the credits of a user will be used up. Lock the account first. */
export function reassess(data: Database, userID: string, at: Date): Promise<void> {
  return reassessAll(data, new Map([[userID, at]]));
}

async function reassessAll(data: Database, atOf: ReadonlyMap<string, Date>): Promise<void> {
  const found = await data.creditAccounts.consumptions(Array.from(atOf, ([userID, at]) => ({ userID, at })));
  const outlooks = Array.from(found, ([userID, consumption]) => {
    const outlook = outlookOf(consumption, atOf.get(userID)!);
    return [userID, outlook] as const;
  });
  await data.creditAccounts.saveOutlooks(new Map(outlooks));
}
