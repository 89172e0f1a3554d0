// Metrics of an agent: its load, and the frames, bytes and connections of its replicas.
import type { AgentLoad } from '../../data/fleet/agents.ts';
import { measures } from '../../telemetry/measures.ts';
import { sentByProcess } from '../replica/figures.ts';
import type { HeldReplica } from '../replica/held-replica.ts';

/** Reports the metrics whenever they are read. @returns a function that stops this */
export function observeAgent(replicas: ReadonlyMap<string, HeldReplica>, load: () => AgentLoad): () => void {
  const counted = { ...sentByProcess };
  const names = {
    frames: 'loop.replica.frames',
    droppedFrames: 'loop.replica.frames.dropped',
    bytes: 'loop.replica.io',
    connections: 'loop.replica.connections',
  } as const;
  return measures.observe((report) => {
    for (const [key, name] of Object.entries(names)) {
      const now = sentByProcess[key as keyof typeof names];
      measures.add(name, now - counted[key as keyof typeof names]);
      counted[key as keyof typeof names] = now;
    }
    const byBackend = Map.groupBy(replicas.values(), ({ backend }) => backend);
    for (const [backend, held] of byBackend)
      report('loop.agent.replicas', held.length, { 'loop.stream.backend': backend });
    const { usedShare, behindReason } = load();
    report('loop.agent.utilization', usedShare);
    report('loop.agent.behind', behindReason === null ? 0 : 1);
  });
}
