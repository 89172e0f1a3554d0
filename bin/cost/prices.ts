// AWS' list prices in US dollars, on demand in us-east-1, without free tiers, discounts and taxes.
// Each is on https://aws.amazon.com/SERVICE/pricing/. On 2026-11-21 they were compared with lists of third parties,
// because AWS computes its pages in the browser; only those marked “from memory” were not.

/** Hours of a month in AWS' own examples. */
const hoursPerMonth = 730;

/** Dollars per month for resources that are paid for whether they are used or not. */
export const monthly = {
  alarmMetric: 0.1,
  compositeAlarm: 0.5,
  customMetric: 0.3,
  dashboard: 3,
  fargateArmGB: 0.00356 * hoursPerMonth,
  fargateArmVcpu: 0.03238 * hoursPerMonth,
  healthCheck: 1.5, // HTTPS to an endpoint in AWS; from memory
  hostedZone: 0.5, // from memory
  kmsKey: 1, // from memory
  loadBalancer: 0.0225 * hoursPerMonth, // from memory
  natGateway: 0.045 * hoursPerMonth,
  proxyVcpu: 0.015 * hoursPerMonth,
  publicAddress: 0.005 * hoursPerMonth,
  secret: 0.4,
  webAcl: 5,
  webAclRule: 1,
  /**
   * A stream that is started every minute. By the code of `lambda/synthetic`, each start makes 12 requests to the API
   * and 12 writes to S3, and takes 10 s of a function. Not yet measured in an account.
   */
  syntheticStream: 8.52,
} as const;

/** Machines with Linux, by EC2 type. */
export const machines: Readonly<
  Record<string, { readonly usd: number; readonly vcpus: number; readonly GiB: number }>
> = {
  'g4dn.xlarge': { usd: 0.526 * hoursPerMonth, vcpus: 4, GiB: 16 },
  't4g.micro': { usd: 0.0084 * hoursPerMonth, vcpus: 2, GiB: 1 }, // from memory
};

/** Instance classes of RDS for PostgreSQL. A standby costs the same again. */
export const databases: Readonly<Record<string, { readonly usd: number; readonly vcpus: number }>> = {
  'db.t4g.micro': { usd: 0.016 * hoursPerMonth, vcpus: 2 }, // from memory
  'db.t4g.medium': { usd: 0.065 * hoursPerMonth, vcpus: 2 },
  'db.m8g.large': { usd: 0.168 * hoursPerMonth, vcpus: 2 }, // from memory
};

/** Dollars per GiB and month, by type of volume: gp3 with its included throughput, and RDS in one zone. */
export const volumes: Readonly<Record<string, number>> = { gp3: 0.08 };
export const databaseVolumes: Readonly<Record<string, number>> = { gp3: 0.115 };

/**
 * Custom metrics that Container Insights (not the enhanced kind) keeps for a cluster, for each service and for each
 * family of task definitions. From memory.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-metrics-ECS.html
 */
export const insightsMetrics = { cluster: 11, service: 13, taskFamily: 8 } as const;

/** Dollars per GB from the region to the internet, with the monthly TB up to which each price holds. */
export const egressTiers: readonly (readonly [upToTB: number, usd: number])[] = [
  [10, 0.09],
  [50, 0.085],
  [150, 0.07],
  [Number.POSITIVE_INFINITY, 0.05],
];

/** Prices by use, without egress. */
export const byUse: readonly (readonly [what: string, usd: string, unit: string])[] = [
  ['Ingested logs, and flow logs of rejected packets', '0.5', 'GB'],
  ['Stored logs', '0.03', 'GB-month'], // from memory
  ['Objects', '0.023', 'GB-month'],
  ['Renditions not read for 30 days', '0.0125', 'GB-month'], // from memory
  ['Reads of objects', '0.4', 'million requests'],
  ['Writes of objects', '5', 'million requests'],
  ['Traffic between zones', '0.01', 'GB and direction'], // from memory
  ['Traffic of functions through NAT gateways', '0.045', 'GB'],
  ['Backups beyond the size of the database', '0.095', 'GB-month'],
  ['CPU of the database beyond the credits of a t class', '0.075', 'vCPU-hour'], // from memory
  ['Calls of functions', '0.2', 'million calls'],
  ['Time of functions, for each GB', '0.0000133334', 'GB-second'], // from memory
  ['Traces', '5', 'million traces'],
  ['Contributions to a load balancer, a unit is a GB', '0.006', 'unit-hour'], // from memory
  ['API requests', '3.5', 'million requests'],
  ['Requests to the distribution', '1', 'million requests'], // from memory
  ['Traffic of the distribution', '0.085', 'GB'], // from memory
  ['Calls of its function for answers of the API', '0.6', 'million calls'],
  ['Time of that function, for each GB', '0.00005001', 'GB-second'],
  ['Calls of the page’s function', '0.1', 'million calls'], // from memory
  ['Requests that a web ACL judges', '0.6', 'million requests'],
  ['Requests to queues, empty polls too', '0.4', 'million requests'], // from memory
  ['Steps of the weekly comparison with the templates', '25', 'million steps'], // from memory
  ['Schedules that fire', '1', 'million calls'], // from memory
  ['Mails to users', '100', 'million e-mails'], // from memory
  ['Notifications', '20', 'million e-mails'], // from memory
  ['Reads of secrets', '5', 'million reads'],
  ['Uses of KMS keys', '3', 'million requests'], // from memory
  ['Images, once in an account', '0.1', 'GB-month'], // from memory
];

/** The entry of a table above. @throws if there is none; the message names the place to add it */
export function listed<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry {
  const found = table[name];
  if (found === undefined) throw new Error(`bin/cost/prices.ts has no price for ${name}: add it there`);
  return found;
}

/** Dollars per hour for a monthly price. */
export const perHour = (usdPerMonth: number): number => usdPerMonth / hoursPerMonth;
