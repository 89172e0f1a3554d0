// Takes the slots that the outputs of live streams need after a change, within the user's limit. Decision D264.
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { updateCosts } from '../../orchestration/destinations/reconcile-outputs.ts';
import { slotsOfRun } from '../../orchestration/destinations/output-targets.ts';
import type { Context } from '../context.ts';
import { assertRoom } from '../limits.ts';

/**
 * Takes the slots that the outputs of a live stream need now. Call it after a change of its outputs, before their
 * replicas begin.
 * @throws {ProblemError} limit_reached
 */
export async function takeSlots(ctx: Context, stream: Locked<Stream>): Promise<void> {
  if (!isLive(stream.state)) return;
  const slots = await slotsOfRun(ctx.data, stream);
  if (slots > stream.run_slots) await assertRoom(ctx, { runningSlots: slots - stream.run_slots });
  if (slots !== stream.run_slots) await ctx.data.streams.setSlots(stream.id, slots);
}

/**
 * Takes the slots of the live streams that are sent to a destination whose address has changed, and updates the costs
 * of their replicas. Their rows are locked.
 * @throws {ProblemError} limit_reached
 */
export async function takeSlotsAt(ctx: Context, destinationID: string): Promise<void> {
  for (const { id } of await ctx.data.outputs.liveUses([destinationID])) {
    const stream = (await ctx.data.streams.lockAny(id))!;
    await takeSlots(ctx, stream);
    await updateCosts(ctx.data, stream);
  }
}
