// The variable with the settings of agent processes of the local run. Arguments would be readable by every user.
import type { Capacity } from '../../lambda/domain/fleet/capacity.ts';
import type { EncoderSettings } from '../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import { telemetryVariables } from '../../lambda/telemetry/environment.ts';
import type { LocalConnectionsOptions } from './connections.ts';

export interface AgentSettings extends LocalConnectionsOptions {
  /** The name of the agent's registration. The supervisor finds the replicas of a dead agent by it. */
  readonly supervisor: string;
  readonly capacity: Capacity;
  /** Connections of its pool to the database. */
  readonly connections: number;
  readonly ffmpegPath: string;
  readonly ffprobePath: string;
  /** Chosen once for all agents, so that a restarted agent is ready sooner. */
  readonly encoder: EncoderSettings;
  readonly legacyRtmpURL: string;
}

const variable = 'LOCAL_AGENT_SETTINGS';

export function environmentOf(settings: AgentSettings): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env;
  const telemetry = Object.fromEntries(telemetryVariables.map((name) => [name, process.env[name]]));
  return { PATH, HOME, NODE_EXTRA_CA_CERTS, TZ: 'UTC', ...telemetry, [variable]: JSON.stringify(settings) };
}

export function readAgentSettings(): AgentSettings {
  const settings = process.env[variable];
  if (!settings) throw new Error(`${variable} is missing: only bin/local.ts starts agents`);
  return JSON.parse(settings) as AgentSettings;
}
