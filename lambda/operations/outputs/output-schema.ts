// An output of a stream in answers. Its state follows from the reports of its replicas.
import * as z from 'zod';
import type { Output } from '../../data/destinations/outputs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import type { Stream, StreamStats } from '../../data/streams/streams.ts';
import { figuresSchema, presentFigures } from '../streams/stream-figures.ts';
import type { Context } from '../context.ts';
import { failure, id, orNotFound, text, timestamp } from '../fields.ts';
import { shownColumns } from '../shown-columns.ts';
import type { Locked } from '../../data/shared/locked.ts';
import { replicaStates } from '../../domain/fleet/replica-words.ts';

const states = ['idle', 'connecting', 'live', 'failing', 'ended'] as const;

/** The fields of requests that create or update an output. */
export const outputFields = {
  destinationID: id.describe('ID of the destination.'),
  name: text(0, 255).nullish().describe('Name for people.'),
  enabled: z.boolean().optional().describe('false: the output is paused.'),
};

const outputReplica = z
  .object({
    role: z.enum(['primary', 'backup']),
    state: z.enum(replicaStates),
    since: timestamp,
    attempt: z.int32().describe('Number of failed attempts in a row.'),
    nextAttemptAt: timestamp.nullable().describe('Time of the next attempt. null: the replica is not failing.'),
    lastFailure: z
      .object({ code: z.string(), detail: z.string(), blame: z.string() })
      .nullable()
      .describe('Last failure. null: there was none.'),
  })
  .meta({ id: 'OutputReplica' });

export const outputSchema = z
  .object({
    id: z.string(),
    streamID: z.string(),
    destinationID: z.string(),
    name: z.string().nullable(),
    enabled: z.boolean(),
    isFirst: z.boolean(),
    state: z
      .enum(states)
      .describe('live: the destination accepts media. ended: the output stopped, or the stream did.'),
    reason: failure.nullable().describe('Reason of the state. While live: a warning. null: none.'),
    since: timestamp.nullable().describe('Time since when the output has this state. null: it was never started.'),
    replicas: z.array(outputReplica),
    stats: figuresSchema.optional().describe('Measurements of the output. Lists leave them out.'),
  })
  .meta({ id: 'Output' });

/** The measurements of an output, for `presentOutput`. */
export async function figuresOf({ data: { figures } }: Context, output: Output): Promise<StreamStats | null> {
  return output.is_first ? figures.ofStream(output.stream_id) : figures.ofOutput(output.id);
}

/**
 * Presents an output.
 * @param replicas of the output and of its stream's last run
 * @param stats null: the output was never live; absent: the answer has no measurements
 */
export function presentOutput(
  output: Output,
  replicas: readonly Replica[],
  stats?: StreamStats | null,
): z.input<typeof outputSchema> {
  const own = replicas.filter(({ output_id: outputID }) => outputID === (output.is_first ? null : output.id));
  const telling = tellingOf(own);
  return {
    ...shownColumns(outputSchema, output),
    state: telling ? stateOf(telling) : 'idle',
    reason: telling && hasReason(telling) ? telling.reason : null,
    since: telling?.since ?? null,
    replicas: own.map((replica) => ({
      role: replica.role,
      state: replica.state,
      since: replica.since,
      attempt: replica.failures,
      nextAttemptAt: replica.state === 'failing' ? replica.next_attempt_at : null,
      lastFailure: replica.last_failure,
    })),
    ...(stats !== undefined && { stats: presentFigures(stats) }),
  };
}

/** The replica that determines the state of an output: a live one, else a failing one, else one that is starting. */
function tellingOf(replicas: readonly Replica[]): Replica | undefined {
  const places = ['live', 'failing', 'connecting', 'waiting', 'ended'];
  return replicas.toSorted((one, other) => places.indexOf(one.state) - places.indexOf(other.state))[0];
}

function stateOf({ state, is_given_up: isGivenUp }: Replica): (typeof states)[number] {
  if (isGivenUp) return 'failing';
  return state === 'waiting' ? 'connecting' : state;
}

function hasReason({ state, is_given_up: isGivenUp }: Replica): boolean {
  return isGivenUp || state === 'live' || state === 'failing';
}

interface OutputPath {
  /** ID of the stream. */
  readonly id: string;
  readonly outputID: string;
}

/**
 * Finds an output of one of the caller's streams, together with that stream.
 * @throws {ProblemError} not_found
 */
export async function findOutput(ctx: Context, path: OutputPath): Promise<{ stream: Stream; output: Output }> {
  const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, path.id), 'stream');
  return { stream, output: await outputOf(ctx, stream, path) };
}

/**
 * Finds an output of one of the caller's streams, and locks that stream.
 * @throws {ProblemError} not_found
 */
export async function lockOutput(ctx: Context, path: OutputPath): Promise<{ stream: Locked<Stream>; output: Output }> {
  const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, path.id), 'stream');
  return { stream, output: await outputOf(ctx, stream, path) };
}

async function outputOf(ctx: Context, stream: Stream, { outputID }: OutputPath): Promise<Output> {
  return orNotFound(await ctx.data.outputs.find(stream.id, outputID), 'output');
}
