// The connections to the database that each process in AWS opens at most. lib/database/connection-budget.ts sums them.

/**
 * Connections of the pool of each kind of process. A function handles one call at a time; those with several
 * connections handle the messages or the parts of a call together. A stage has its own number for agents.
 */
export const poolSizes = {
  surface: 1,
  identity: 4,
  webhooks: 4,
  platforms: 4,
  timersJob: 1,
  sweep: 1,
  reconcile: 1,
  synthetic: 1,
  operate: 2,
  importWorker: 4,
  liveIngest: 3,
} as const;
