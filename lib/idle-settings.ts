// What a stage pays for while nobody streams, and may do without: each with what it takes away.
import { type Check, flag, text } from './setting-checks.ts';

export interface IdleSettings {
  /**
   * How functions reach the outside. `gateway`: as many NAT gateways as `natGateways`. `instance`: as many small
   * machines, for a fifth of the price; while one is replaced, or is at its 5 Gbit/s, functions do not reach AWS,
   * webhooks or payment providers.
   */
  readonly nat: 'gateway' | 'instance';
  /**
   * Whether clients share connections of the database by RDS Proxy. Without it each has its own, a failover is seen by
   * all of them, and so many requests at once as `databaseConnectionsAlarm` says are the most.
   */
  readonly databaseProxy: boolean;
  /** Whether CloudWatch keeps figures of each service and task. Those of streams and agents are kept without it. */
  readonly containerInsights: boolean;
  /** Whether functions and API Gateway write traces to X-Ray, which are paid by use. */
  readonly tracing: boolean;
}

export const idleChecks: Readonly<Record<keyof IdleSettings, Check>> = {
  nat: text(/^(?:gateway|instance)$/, 'gateway or instance'),
  databaseProxy: flag,
  containerInsights: flag,
  tracing: flag,
};

/**
 * Whether agents on Fargate, of which some always run, encode as well, and machines with a GPU come for what those
 * have no room for: in a stage that keeps no ffmpeg agents of its own.
 */
export function encodesOnFargate({ ffmpegAgentsMin }: { readonly ffmpegAgentsMin: number }): boolean {
  return ffmpegAgentsMin === 0;
}
