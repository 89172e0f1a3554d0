// Shares out the database's connections among the site and the agents of a local run.
import { leaseConnections } from '../../lambda/domain/fleet/lease.ts';
import { mostAgents } from './options.ts';

/** Connections of the site's pool. */
export const siteConnections = 20;
/** Connections beside the site's pool: listeners to queues, a migration, a person with psql, and Postgres' reserve. */
const besideSite = 15;
/** Connections of an agent beside its pool: those that renew its lease, and three listeners to queues. */
const besideAgentPool = leaseConnections + 3;
/** Connections of all agents' pools together, if there are few agents. With more, transactions slow each other. */
const agentPools = 60;
const leastOfAgent = 3;
const mostOfAgent = 10;
/** Postgres' default. */
const leastOfServer = 100;

/** Connections of the pool of each agent. */
export function agentConnections(agents: number): number {
  return Math.max(leastOfAgent, Math.min(mostOfAgent, Math.floor(agentPools / Math.max(1, agents))));
}

/** Connections that a run with so many agents may open. */
export function connectionsOfRun(agents: number): number {
  const ofAgents = agents * (agentConnections(agents) + besideAgentPool);
  return Math.max(leastOfServer, siteConnections + besideSite + ofAgents);
}

/**
 * The most agents that a database with so many connections serves.
 * @param connections `max_connections` of the database
 */
export function agentsWithin(connections: number): number {
  const counts = Array.from({ length: mostAgents + 1 }, (_, agents) => agents);
  return counts.findLast((agents) => connectionsOfRun(agents) <= connections) ?? 0;
}
