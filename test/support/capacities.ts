// Agents with room for a number of streams at 720p30, independent of the machine that runs the test.
import { costOfSlot, roomOf } from '../../lambda/domain/fleet/capacity.ts';
import type { Capacity, Room, StreamToSend } from '../../lambda/domain/fleet/capacity.ts';

const plenty = 1e9;

/** Room for this many streams at 720p30 of one backend. Only its scarcest resource is limited. */
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

/** Room for this many streams of the ffmpeg backend, all free, for claims. */
export function roomFor(streams: number): Room {
  return roomOf(capacityFor(streams, 'ffmpeg'), 0, ['ffmpeg']);
}
