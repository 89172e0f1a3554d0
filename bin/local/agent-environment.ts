// What the local run tells its agent processes, by environment: secrets stay out of argument lists.
import type { EncoderSettings } from '../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import type { LocalConnectionsOptions } from './connections.ts';

export interface AgentSettings extends LocalConnectionsOptions {
  readonly supervisor: string;
  readonly slots: number;
  readonly ffmpegPath: string;
  readonly ffprobePath: string;
  /** Found out once, so that an agent which is started again is there sooner. */
  readonly encoder: EncoderSettings;
  readonly legacyRtmpURL: string;
}

const variable = 'LOCAL_AGENT_SETTINGS';

export function environmentOf(settings: AgentSettings): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], TZ: 'UTC', [variable]: JSON.stringify(settings) };
}

export function readAgentSettings(): AgentSettings {
  const settings = process.env[variable];
  if (!settings) throw new Error(`${variable} is missing: agents are started by bin/local.ts`);
  return JSON.parse(settings) as AgentSettings;
}
