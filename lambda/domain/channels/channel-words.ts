// Words about broadcasts on channels that the database stores and the API shows.

export const mirrorStates = ['done', 'pending', 'blocked'] as const;
export const broadcastPhases = ['prepared', 'starting', 'live', 'ended', 'failed'] as const;
export type BroadcastPhase = (typeof broadcastPhases)[number];
