// What is refused of outputs: a destination that is no address, the same address twice, too many, and a stream without.
import type { Destination } from '../../data/destinations.ts';
import type { Output } from '../../data/outputs.ts';
import type { Stream } from '../../data/streams.ts';
import { bounds } from '../../domain/limits.ts';
import { destinationKeyPlace } from '../../domain/sealed-places.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { ProblemError } from '../problem-codes.ts';

/**
 * Refuses a destination that is not the caller's, that is archived or a channel, or to which the stream is sent
 * already, be it by another destination with the same address and key.
 * @throws {ProblemError} validation_failed, output_exists, limit_reached
 */
export async function assertNewOutput(ctx: Context, stream: Stream, destinationID: string): Promise<void> {
  const destination = await ctx.data.destinations.findToUse(ctx.caller.userID, destinationID);
  if (!destination) throw fieldProblem('destinationID', 'There is no such destination.');
  if (destination.archived_at !== null) throw fieldProblem('destinationID', 'This destination is archived.');
  if (destination.connection_id !== null)
    throw fieldProblem('destinationID', 'A connected channel is reached by streamDestination managed.');
  const outputs = await ctx.data.outputs.ofStreams([stream.id]);
  await assertOtherAddress(ctx, destination, outputs);
  const { outputsPerStream: allowed } = bounds;
  if (outputs.length < allowed) return;
  const members = { limit: 'outputs', used: outputs.length, allowed };
  throw new ProblemError('limit_reached', `A stream has at most ${allowed} outputs. Remove one first.`, { members });
}

/** Two publishers with one key would end each other at the destination, again and again. */
async function assertOtherAddress(ctx: Context, added: Destination, outputs: readonly Output[]): Promise<void> {
  const ids = outputs.map(({ destination_id: id }) => id);
  const others = await ctx.data.destinations.findMany(ctx.caller.userID, ids);
  const same = others.find(({ id }) => id === added.id) ?? others.find((other) => isSameTarget(ctx, added, other));
  if (same)
    throw fieldProblem(
      'destinationID',
      `The stream is sent there already, by destination ${same.id}.`,
      'output_exists',
    );
}

function isSameTarget(ctx: Context, one: Destination, other: Destination): boolean {
  const urlsOf = ({ rtmp_url: url, backup_rtmp_url: backupURL }: Destination) => [url, backupURL ?? url];
  if (!urlsOf(one).some((url) => urlsOf(other).includes(url))) return false;
  // One listener of SRT takes many streams, each by its id.
  const keyOf = ({ id, rtmp_url: url, srt_stream_id: streamID, sealed_stream_key: key }: Destination) =>
    url.startsWith('srt:') ? (streamID ?? '') : ctx.sealer.open(key, destinationKeyPlace(id));
  return keyOf(one) === keyOf(other);
}

/** @throws {ProblemError} stream_live where a live stream would be sent nowhere without this output */
export async function assertOneIsLeft(ctx: Context, output: Output): Promise<void> {
  const { stream_id: streamID } = output;
  const others = (await ctx.data.outputs.ofStreams([streamID])).filter(({ id }) => id !== output.id);
  const isManaged = (await ctx.data.streams.lockAny(streamID))!.stream_destination === 'managed';
  const replicas = await ctx.data.replicas.ofStream(streamID);
  // An output that was given up is not begun again by itself.
  const isSent = ({ id, is_first: isFirst, enabled }: Output) => {
    const own = replicas.filter(({ output_id: outputID }) => outputID === (isFirst ? null : id));
    return enabled && (own.length === 0 || own.some((replica) => !replica.is_given_up));
  };
  if (isManaged || others.some(isSent)) return;
  throw new ProblemError('stream_live', 'It is the only enabled output of a live stream. Stop the stream instead.');
}
