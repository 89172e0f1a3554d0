// Agents that have room for a number of streams at 720p30, whatever machine the test runs on.
import { costOfSlot, roomOf } from '../../lambda/domain/fleet/capacity.ts';
import type { Capacity, Room, StreamToSend } from '../../lambda/domain/fleet/capacity.ts';

const plenty = 1e9;

/** Room for so many streams at 720p30 of a backend; of what they do not take the most of, there is plenty. */
export function capacityFor(streams: number, backend: StreamToSend['backend'] = 'manifest'): Capacity {
  const { cores, thread } = costOfSlot(backend);
  const of = (cost: number) => Math.max(1e-9, streams * cost);
  return {
    cores: backend === 'ffmpeg' ? of(cores) : plenty,
    thread: backend === 'ffmpeg' ? plenty : of(thread),
    memoryMiB: plenty,
    networkMbps: null,
    gpuMegapixels: 0,
  };
}

/** The same as a room that is all free, for claims of streams of the ffmpeg backend. */
export function roomFor(streams: number): Room {
  return roomOf(capacityFor(streams, 'ffmpeg'), 0, ['ffmpeg']);
}
