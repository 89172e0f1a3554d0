// The row of a replica that an agent has claimed, for tests without a database.
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import { ConnectionTurns } from '../../../lambda/publisher/replica/connection-turns.ts';
import type { AgentRoom } from '../../../lambda/publisher/replica/held-share.ts';

export function replicaRow(backend: Replica['backend']): Replica {
  return {
    id: 'rep',
    stream_id: 'str',
    role: 'primary',
    backend,
    cores: 0,
    cores_beside_gpu: 0,
    thread: 0,
    memory_mib: 0,
    network_mbps: 0,
    gpu_megapixels: 0,
    wanted: 'live',
    state: 'connecting',
    reason: null,
    since: new Date(),
    agent_id: 'agent',
    epoch: 1,
    timeline_revision: 0,
    at_backup_url: false,
    failing_since: null,
    output_id: null,
    is_given_up: false,
    failures: 0,
    next_attempt_at: null,
    last_failure: null,
    traceparent: null,
    is_unfunded: false,
  };
}

/** An agent with room for all replicas, whose streams connect without limits. */
export function roomyAgent() {
  const room: AgentRoom = {
    take: async (_share, begin) => {
      begin();
      return true;
    },
    leave: () => {},
  };
  return { turns: new ConnectionTurns(), room };
}
