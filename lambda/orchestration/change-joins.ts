// Lets a stream that is live join its items as it says by now, from the next item on, and go on in their order.
import type { Database } from '../data/database.ts';
import type { Stream } from '../data/streams.ts';
import { withJoins } from '../domain/sound-joins.ts';
import { goOnWith, lastItems } from './go-on-with.ts';

/** Takes up the setting of a stream, which the caller has locked. */
export async function changeJoins(data: Database, stream: Stream, now: Date): Promise<void> {
  const timeline = (await data.timelines.ofStream(stream.id)).audio;
  const before = lastItems(timeline);
  if (before.length === 0) return;
  const items = withJoins(
    before.map((each) => {
      const { join: _, ...item } = each;
      return item;
    }),
    stream.sound?.join,
  );
  const isSame = items.every(({ join }, index) => {
    const { join: joinBefore } = before[index]!;
    return join?.kind === joinBefore?.kind && join?.seconds === joinBefore?.seconds;
  });
  if (!isSame) await goOnWith(data, stream, 'audio', timeline, items, now);
}
