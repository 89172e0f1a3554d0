// AWS' list prices in us-east-1, on demand, in US dollars: the only numbers of the cost tables that come from outside.

/** A price as AWS lists it. Free tiers and discounts belong to an account, not to a stage, and are left out. */
export interface ListPrice {
  readonly usd: number;
  /** What those dollars buy: `hour`, `GB`, `million requests`. A GB is taken as 10⁹ bytes, a month as 730 hours. */
  readonly per: string;
  /** Address of the page of AWS that has the price. */
  readonly page: string;
  /** The day on which another list said the same. Null: nobody has compared it. Do that before you rely on it. */
  readonly comparedOn: string | null;
}

/** The hours of a month in AWS' own examples. */
export const hoursPerMonth = 730;

/**
 * On this day the prices were compared with lists of third parties: AWS' own pages compute their prices in the
 * browser.
 */
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
  route53: 'https://aws.amazon.com/route53/pricing/',
  s3: 'https://aws.amazon.com/s3/pricing/',
  secrets: 'https://aws.amazon.com/secrets-manager/pricing/',
  ses: 'https://aws.amazon.com/ses/pricing/',
  sns: 'https://aws.amazon.com/sns/pricing/',
  sqs: 'https://aws.amazon.com/sqs/pricing/',
  stepFunctions: 'https://aws.amazon.com/step-functions/pricing/',
  vpc: 'https://aws.amazon.com/vpc/pricing/',
  waf: 'https://aws.amazon.com/waf/pricing/',
  xray: 'https://aws.amazon.com/xray/pricing/',
} as const;

function price(usd: number, per: string, page: keyof typeof pages, comparedOn: string | null): ListPrice {
  return { usd, per, page: pages[page], comparedOn };
}

/** What is paid by the hour or by the month, whether it is used or not. */
export const standing = {
  alarmMetric: price(0.1, 'month', 'cloudWatch', day),
  customMetric: price(0.3, 'month', 'cloudWatch', day),
  dashboard: price(3, 'month', 'cloudWatch', day),
  fargateArmGB: price(0.00356, 'hour', 'fargate', day),
  fargateArmVcpu: price(0.03238, 'hour', 'fargate', day),
  hostedZone: price(0.5, 'month', 'route53', null),
  interfaceEndpoint: price(0.01, 'hour', 'vpc', null),
  kmsKey: price(1, 'month', 'kms', null),
  natGateway: price(0.045, 'hour', 'vpc', day),
  proxyVcpu: price(0.015, 'hour', 'proxy', day),
  publicAddress: price(0.005, 'hour', 'vpc', day),
  secret: price(0.4, 'month', 'secrets', day),
  webAcl: price(5, 'month', 'waf', day),
  webAclRule: price(1, 'month', 'waf', day),
} as const satisfies Record<string, ListPrice>;

/** Machines of the GPU pool, by type, with Linux. */
export const machines: Readonly<Record<string, ListPrice>> = {
  'g4dn.xlarge': price(0.526, 'hour', 'ec2', day),
};

/** Machines in the place of NAT gateways, by type, with Linux. */
export const natMachines: Readonly<Record<string, ListPrice>> = {
  't4g.nano': price(0.0042, 'hour', 'ec2', null),
};

/** A GiB of a machine's volume, by type. gp3 is taken with the 3,000 IOPS and 125 MB/s that the price includes. */
export const volumeGiB: Readonly<Record<string, ListPrice>> = {
  gp3: price(0.08, 'month', 'ebs', day),
};

/** Instance classes of RDS for PostgreSQL in one zone. A standby in a second zone costs the same again. */
export const databaseClasses: Readonly<Record<string, { readonly price: ListPrice; readonly vcpus: number }>> = {
  'db.t4g.micro': { price: price(0.016, 'hour', 'rds', null), vcpus: 2 },
  'db.t4g.medium': { price: price(0.065, 'hour', 'rds', day), vcpus: 2 },
  'db.m8g.large': { price: price(0.168, 'hour', 'rds', null), vcpus: 2 },
};

/** A GiB of RDS storage in one zone, by type. That of a standby costs the same again. */
export const databaseGiB: Readonly<Record<string, ListPrice>> = {
  gp3: price(0.115, 'month', 'rds', day),
};

/**
 * How many metrics Container Insights (not the enhanced kind) makes for a cluster, for each service in it, and for each
 * family of task definitions. Each is billed as a custom metric. Nobody has compared these numbers with the list in
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-metrics-ECS.html
 */
export const containerInsightsMetrics = { perCluster: 11, perService: 13, perTaskFamily: 8 } as const;

/** A GB from the region to the internet. Each price is for the traffic of a month up to so many TB. */
export const egressTiers = [
  { upToTB: 10, price: price(0.09, 'GB', 'ec2', day) },
  { upToTB: 50, price: price(0.085, 'GB', 'ec2', day) },
  { upToTB: 150, price: price(0.07, 'GB', 'ec2', day) },
  { upToTB: Number.POSITIVE_INFINITY, price: price(0.05, 'GB', 'ec2', day) },
] as const;

/** What is paid by use. */
export const byUse = {
  apiRequests: price(3.5, 'million requests', 'apiGateway', day),
  backups: price(0.095, 'GB-month beyond the database’s size', 'rds', day),
  betweenZones: price(0.01, 'GB and direction', 'ec2', null),
  cloudFrontFunctions: price(0.1, 'million calls', 'cloudFront', null),
  cloudFrontRequests: price(1, 'million requests', 'cloudFront', null),
  cloudFrontTraffic: price(0.085, 'GB', 'cloudFront', null),
  databaseBurst: price(0.075, 'vCPU-hour above what a t class earns', 'rds', null),
  edgeCompute: price(0.00005001, 'GB-second', 'cloudFront', '2026-11-22'),
  edgeRequests: price(0.6, 'million calls', 'cloudFront', '2026-11-22'),
  images: price(0.1, 'GB-month', 'ecr', null),
  kmsRequests: price(3, 'million requests', 'kms', null),
  lambdaCompute: price(0.0000133334, 'GB-second', 'lambda', null),
  lambdaRequests: price(0.2, 'million calls', 'lambda', day),
  logsKept: price(0.03, 'GB-month', 'cloudWatch', null),
  logsTakenIn: price(0.5, 'GB', 'cloudWatch', day),
  mails: price(100, 'million e-mails', 'ses', null),
  natTraffic: price(0.045, 'GB', 'vpc', day),
  notifications: price(20, 'million e-mails', 'sns', null),
  queueRequests: price(0.4, 'million requests', 'sqs', null),
  s3Reads: price(0.4, 'million requests', 's3', day),
  s3Storage: price(0.023, 'GB-month', 's3', day),
  s3StorageInfrequent: price(0.0125, 'GB-month', 's3', null),
  s3Writes: price(5, 'million requests', 's3', day),
  schedules: price(1, 'million calls', 'eventBridge', null),
  secretReads: price(5, 'million reads', 'secrets', day),
  steps: price(25, 'million steps', 'stepFunctions', null),
  traces: price(5, 'million traces', 'xray', day),
  webAclRequests: price(0.6, 'million requests', 'waf', day),
} as const satisfies Record<string, ListPrice>;

/**
 * The entry of one of the tables above.
 * @throws if the table has no such entry; the message says where to add it
 */
export function listed<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry {
  const found = table[name];
  if (found === undefined) throw new Error(`lib/cost/list-prices.ts has no price for ${name}: add it there`);
  return found;
}
