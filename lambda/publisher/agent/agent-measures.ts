// What an agent measures of itself, for whoever reads: what it carries, and what its replicas have sent.
import type { AgentLoad } from '../../data/fleet/agents.ts';
import { measures } from '../../telemetry/measures.ts';
import { sentByProcess } from '../replica/figures.ts';
import type { HeldReplica } from '../replica/held-replica.ts';

/** @returns what ends it */
export function observeAgent(replicas: ReadonlyMap<string, HeldReplica>, load: () => AgentLoad): () => void {
  const counted = { ...sentByProcess };
  const names = {
    frames: 'loop.replica.frames',
    droppedFrames: 'loop.replica.frames.dropped',
    bytes: 'loop.replica.io',
    connections: 'loop.replica.connections',
  } as const;
  return measures.observe((say) => {
    for (const [key, name] of Object.entries(names)) {
      const now = sentByProcess[key as keyof typeof names];
      measures.add(name, now - counted[key as keyof typeof names]);
      counted[key as keyof typeof names] = now;
    }
    const byBackend = Map.groupBy(replicas.values(), ({ backend }) => backend);
    for (const [backend, held] of byBackend)
      say('loop.agent.replicas', held.length, { 'loop.stream.backend': backend });
    const { usedShare, behindReason } = load();
    say('loop.agent.utilization', usedShare);
    say('loop.agent.behind', behindReason === null ? 0 : 1);
  });
}
