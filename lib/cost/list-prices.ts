// AWS' list prices in us-east-1, on demand, in US dollars: the only figures of the cost tables that come from outside.

/** One price as AWS publishes it. Free tiers and discounts are an account's, not a stage's, and are left out. */
export interface ListPrice {
  readonly usd: number;
  /** What that pays for: `hour`, `GB`, `million requests`. A GB is taken as 10⁹ bytes, a month as 730 hours. */
  readonly per: string;
  /** AWS' page with the price. */
  readonly page: string;
  /** Day on which a published list said the same; null: from memory, so compare it before you rely on it. */
  readonly comparedOn: string | null;
}

/** As AWS' own examples count it. */
export const hoursPerMonth = 730;

/** The comparisons of that day were with price lists that third parties publish, as AWS' own pages compute theirs in the browser. */
const day = '2026-11-21';

const pages = {
  apiGateway: 'https://aws.amazon.com/api-gateway/pricing/',
  cloudFront: 'https://aws.amazon.com/cloudfront/pricing/',
  cloudWatch: 'https://aws.amazon.com/cloudwatch/pricing/',
  ebs: 'https://aws.amazon.com/ebs/pricing/',
  ec2: 'https://aws.amazon.com/ec2/pricing/on-demand/',
  ecr: 'https://aws.amazon.com/ecr/pricing/',
  eventBridge: 'https://aws.amazon.com/eventbridge/pricing/',
  fargate: 'https://aws.amazon.com/fargate/pricing/',
  kms: 'https://aws.amazon.com/kms/pricing/',
  lambda: 'https://aws.amazon.com/lambda/pricing/',
  proxy: 'https://aws.amazon.com/rds/proxy/pricing/',
  rds: 'https://aws.amazon.com/rds/postgresql/pricing/',
  s3: 'https://aws.amazon.com/s3/pricing/',
  secrets: 'https://aws.amazon.com/secrets-manager/pricing/',
  sns: 'https://aws.amazon.com/sns/pricing/',
  sqs: 'https://aws.amazon.com/sqs/pricing/',
  vpc: 'https://aws.amazon.com/vpc/pricing/',
  waf: 'https://aws.amazon.com/waf/pricing/',
  xray: 'https://aws.amazon.com/xray/pricing/',
} as const;

function price(usd: number, per: string, page: keyof typeof pages, comparedOn: string | null): ListPrice {
  return { usd, per, page: pages[page], comparedOn };
}

/** What is paid by the hour or month, used or not. */
export const standing = {
  alarmMetric: price(0.1, 'month', 'cloudWatch', day),
  customMetric: price(0.3, 'month', 'cloudWatch', day),
  dashboard: price(3, 'month', 'cloudWatch', day),
  fargateArmGB: price(0.00356, 'hour', 'fargate', day),
  fargateArmVcpu: price(0.03238, 'hour', 'fargate', day),
  interfaceEndpoint: price(0.01, 'hour', 'vpc', null),
  kmsKey: price(1, 'month', 'kms', null),
  natGateway: price(0.045, 'hour', 'vpc', day),
  proxyVcpu: price(0.015, 'hour', 'proxy', day),
  publicAddress: price(0.005, 'hour', 'vpc', day),
  secret: price(0.4, 'month', 'secrets', day),
  webAcl: price(5, 'month', 'waf', day),
  webAclRule: price(1, 'month', 'waf', day),
} as const satisfies Record<string, ListPrice>;

/** Machines of the GPU pool, Linux. */
export const machines: Readonly<Record<string, ListPrice>> = {
  'g4dn.xlarge': price(0.526, 'hour', 'ec2', day),
};

/** Volumes of machines, by type, for each GiB. gp3 with the 3,000 IOPS and 125 MB/s that are included. */
export const volumeGiB: Readonly<Record<string, ListPrice>> = {
  gp3: price(0.08, 'month', 'ebs', day),
};

/** Classes of RDS for PostgreSQL in one zone; a standby in a second zone costs the same again. */
export const databaseClasses: Readonly<Record<string, { readonly price: ListPrice; readonly vcpus: number }>> = {
  'db.t4g.medium': { price: price(0.065, 'hour', 'rds', day), vcpus: 2 },
  'db.m8g.large': { price: price(0.168, 'hour', 'rds', null), vcpus: 2 },
};

/** Storage of RDS in one zone, by type, for each GiB; a standby's costs the same again. */
export const databaseGiB: Readonly<Record<string, ListPrice>> = {
  gp3: price(0.115, 'month', 'rds', day),
};

/**
 * Metrics that Container Insights (not the enhanced kind) makes, each billed as a custom one: of a cluster, of each service in it, and of
 * each family of task definitions. Counted, from memory, in
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-metrics-ECS.html
 */
export const containerInsightsMetrics = { perCluster: 11, perService: 13, perTaskFamily: 8 } as const;

/** To the internet from the region, by month: each price holds up to so many TB, and the last beyond. */
export const egressTiers = [
  { upToTB: 10, price: price(0.09, 'GB', 'ec2', day) },
  { upToTB: 50, price: price(0.085, 'GB', 'ec2', day) },
  { upToTB: 150, price: price(0.07, 'GB', 'ec2', day) },
  { upToTB: Number.POSITIVE_INFINITY, price: price(0.05, 'GB', 'ec2', day) },
] as const;

/** What is paid by use, for the resources that are used. */
export const byUse = {
  apiRequests: price(3.5, 'million requests', 'apiGateway', day),
  backups: price(0.095, 'GB-month beyond the database’s size', 'rds', day),
  betweenZones: price(0.01, 'GB and direction', 'ec2', null),
  cloudFrontRequests: price(1, 'million requests', 'cloudFront', null),
  cloudFrontTraffic: price(0.085, 'GB', 'cloudFront', null),
  databaseBurst: price(0.075, 'vCPU-hour above what a t class earns', 'rds', null),
  images: price(0.1, 'GB-month', 'ecr', null),
  kmsRequests: price(3, 'million requests', 'kms', null),
  lambdaCompute: price(0.0000133334, 'GB-second', 'lambda', null),
  lambdaRequests: price(0.2, 'million calls', 'lambda', day),
  logsKept: price(0.03, 'GB-month', 'cloudWatch', null),
  logsTakenIn: price(0.5, 'GB', 'cloudWatch', day),
  natTraffic: price(0.045, 'GB', 'vpc', day),
  notifications: price(20, 'million e-mails', 'sns', null),
  queueRequests: price(0.4, 'million requests', 'sqs', null),
  s3Reads: price(0.4, 'million requests', 's3', day),
  s3Storage: price(0.023, 'GB-month', 's3', day),
  s3StorageInfrequent: price(0.0125, 'GB-month', 's3', null),
  s3Writes: price(5, 'million requests', 's3', day),
  schedules: price(1, 'million calls', 'eventBridge', null),
  secretReads: price(5, 'million reads', 'secrets', day),
  traces: price(5, 'million traces', 'xray', day),
  webAclRequests: price(0.6, 'million requests', 'waf', day),
} as const satisfies Record<string, ListPrice>;

/**
 * An entry of one of the tables above.
 * @throws if it is not there; the message says where to add it
 */
export function listed<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry {
  const found = table[name];
  if (found === undefined) throw new Error(`lib/cost/list-prices.ts has no price for ${name}: add it there`);
  return found;
}
