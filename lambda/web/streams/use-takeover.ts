// The takeover of a stream, while it is on the air.
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { useLive } from '../app/live-data.ts';
import type { Stream, StreamTakeover } from '../app/types.ts';

/** The interval of reading: `GET /changes` does not report takeovers. */
const everyMs = 2000;

/** @returns null: there is none, or it is not known yet */
export function useTakeover({ id, state, streamBackend }: Pick<Stream, 'id' | 'state' | 'streamBackend'>) {
  const canBe = streamBackend === 'manifest' && isLive(state);
  const { data } = useLive<{ readonly takeover: StreamTakeover | null }>(
    canBe ? `/streams/${id}/takeover` : null,
    everyMs,
  );
  return data?.takeover ?? null;
}
