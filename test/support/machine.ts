// A machine for tests: a process that supervises one agent, as the local run does. The agent dies with it.
import { superviseAgents } from '../../bin/local/agent-supervisor.ts';
import type { AgentSettings } from '../../bin/local/agent-environment.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';

process.once('message', (settings: AgentSettings) => {
  const pool = createPool({ connectionString: settings.databaseURL, max: 3 });
  const quiet = process.env['MACHINE_LOG'] === undefined ? () => {} : console.error;
  void superviseAgents(1, { settings, pool, writeLog: quiet, log: quiet });
});
process.on('disconnect', () => process.exit());
