// Refuses unusable destinations, the same address twice, too many outputs, and a live stream without outputs.
import type { Output } from '../../data/destinations/outputs.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StreamSettings } from '../../domain/streams/stream-settings.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { ProblemError } from '../problem-codes.ts';
import { assertOtherPlace, placeOfKeyAlone } from './assert-other-place.ts';

/**
 * Refuses a destination that does not belong to the caller, is archived, is a channel, or leads to a place that the
 * stream is already sent to.
 * @throws {ProblemError} validation_failed, output_exists, limit_reached
 */
export async function assertNewOutput(ctx: Context, stream: Stream, destinationID: string): Promise<void> {
  const destination = await ctx.data.destinations.lockForUse(ctx.caller.userID, destinationID);
  if (!destination) throw fieldProblem('destinationID', 'There is no such destination.');
  if (destination.archived_at !== null) throw fieldProblem('destinationID', 'This destination is archived.');
  if (destination.connection_id !== null)
    throw fieldProblem(
      'destinationID',
      'This destination is a connected channel. Set streamDestination to managed instead.',
    );
  const outputs = await ctx.data.outputs.ofStreams([stream.id]);
  const ids = outputs.map(({ destination_id: id }) => id);
  const others = await ctx.data.destinations.lockManyForUse([ctx.caller.userID], ids);
  assertOtherPlace(ctx, 'destinationID', destination, others, placeOfKeyAlone(ctx, stream.id, stream));
  const { outputsPerStream: allowed } = bounds;
  if (outputs.length < allowed) return;
  const members = { limit: 'outputs', used: outputs.length, allowed };
  throw new ProblemError('limit_reached', `A stream has at most ${allowed} outputs. Remove one first.`, { members });
}

/**
 * Refuses to send a live stream to a destination that another live stream of its user has, as a start is refused.
 * @param field of the request that is at fault
 * @throws {ProblemError} validation_failed
 */
export async function assertNotOccupied(
  ctx: Context,
  { id, state }: Stream,
  destinationID: string,
  field: string,
): Promise<void> {
  if (!isLive(state)) return;
  const other = (await ctx.data.outputs.liveUses([destinationID])).find((use) => use.id !== id);
  if (!other) return;
  const named = other.name ? `“${other.name}”` : other.id;
  const detail = `Your stream ${named} is live on this destination, which takes one at a time. Stop that stream first.`;
  throw fieldProblem(field, detail);
}

/**
 * Refuses settings that would send a stream's first output to the place of another output.
 * @throws {ProblemError} output_exists
 */
export async function assertOtherWay(ctx: Context, before: Stream, settings: StreamSettings): Promise<void> {
  const { destination_id: destinationID } = settings;
  const key = placeOfKeyAlone(ctx, before.id, settings);
  const isNew = destinationID !== null && destinationID !== before.destination_id;
  if (!isNew && key === placeOfKeyAlone(ctx, before.id, before)) return;
  const further = (await ctx.data.outputs.ofStreams([before.id])).filter((output) => !output.is_first);
  const ids = further.map(({ destination_id: id }) => id);
  const others = await ctx.data.destinations.lockManyForUse([ctx.caller.userID], ids);
  if (!isNew) for (const other of others) assertOtherPlace(ctx, 'streamKey', other, [], key);
  else {
    const destination = await ctx.data.destinations.lockForUse(ctx.caller.userID, destinationID);
    if (destination) assertOtherPlace(ctx, 'destinationID', destination, others);
  }
}

/**
 * Refuses to remove the last output of a live stream.
 * @throws {ProblemError} stream_live if no other output of the live stream is being sent
 */
export async function assertOneIsLeft(ctx: Context, output: Output): Promise<void> {
  const { stream_id: streamID } = output;
  const others = (await ctx.data.outputs.ofStreams([streamID])).filter(({ id }) => id !== output.id);
  const isManaged = (await ctx.data.streams.lockAny(streamID))!.stream_destination === 'managed';
  const replicas = await ctx.data.replicas.ofStream(streamID);
  // An output that was given up does not start again by itself.
  const isSent = ({ id, is_first: isFirst, enabled }: Output) => {
    const own = replicas.filter(({ output_id: outputID }) => outputID === (isFirst ? null : id));
    return enabled && (own.length === 0 || own.some((replica) => !replica.is_given_up));
  };
  if (isManaged || others.some(isSent)) return;
  throw new ProblemError('stream_live', 'This is the only enabled output of a live stream. Stop the stream instead.');
}
