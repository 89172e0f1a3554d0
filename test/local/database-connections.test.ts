// Connections of a local run: they fit into its database, for any number of agents.
import { expect, it } from 'vitest';
import {
  agentConnections,
  agentsWithin,
  connectionsOfRun,
  siteConnections,
} from '../../bin/local/database-connections.ts';
import { mostAgents } from '../../bin/local/options.ts';

it('an agent has room for its work, and all of them together do not overload the database', () => {
  for (let agents = 1; agents <= mostAgents; agents++) {
    expect(agentConnections(agents)).toBeGreaterThanOrEqual(3);
    expect(connectionsOfRun(agents)).toBeGreaterThan(siteConnections + agents * agentConnections(agents));
  }
  expect(connectionsOfRun(1)).toBe(100);
  expect(connectionsOfRun(mostAgents)).toBeLessThan(600);
});

it('a database serves as many agents as its connections allow', () => {
  for (let agents = 1; agents <= mostAgents; agents++)
    expect(agentsWithin(connectionsOfRun(agents))).toBeGreaterThanOrEqual(agents);
  const few = agentsWithin(100);
  expect(few).toBeGreaterThanOrEqual(4);
  expect(few).toBeLessThan(mostAgents);
});
