// Optional features that cost money even without streams, each with the loss if it is off.
import { type Check, flag, text } from './setting-checks.ts';

export interface IdleSettings {
  /**
   * How functions reach the internet. `gateway`: through `natGateways` NAT gateways. `instance`: through the same
   * number of small machines, for a third of the price. While a machine is replaced, or at its limit of 5 Gbit/s,
   * functions do not reach AWS, webhooks or payment providers.
   */
  readonly nat: 'gateway' | 'instance';
  /**
   * Whether clients share database connections by RDS Proxy. Without it, each client has its own connection, all
   * clients see a failover, and functions of queues have two calls at once instead of ten.
   */
  readonly databaseProxy: boolean;
  /** Whether CloudWatch records metrics of each service and task. Metrics of streams and agents do not need it. */
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
 * Whether agents on Fargate also encode, and GPU machines start only for streams that these agents have no capacity
 * for. True for a stage without permanent ffmpeg agents.
 */
export function encodesOnFargate({ ffmpegAgentsMin }: { readonly ffmpegAgentsMin: number }): boolean {
  return ffmpegAgentsMin === 0;
}
