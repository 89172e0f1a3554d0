// Words about replicas that the database stores and the API shows.

export const replicaStates = ['waiting', 'connecting', 'live', 'failing', 'ended'] as const;
export type ReplicaState = (typeof replicaStates)[number];
