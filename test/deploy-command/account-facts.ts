// Accounts that the stand-in of AWS can be, with the facts that the checks of a deployment ask about.

export interface StandingStack {
  readonly status: string;
  readonly isProtected: boolean;
  /** As JSON; undefined: AWS has none. */
  readonly template?: string;
}

export interface AccountFacts {
  /** Services whose service-linked roles are there. */
  readonly linkedRoles: readonly string[];
  /** Zone ids of us-east-1 by the account's letters. */
  readonly zoneIds: Readonly<Record<string, string>>;
  /** Zone ids in which RDS offers databases of Postgres 18 with gp3 volumes. */
  readonly databaseZoneIds: readonly string[];
  /** Values that were applied for, by code. Others have their default, which the account has to be asked for. */
  readonly appliedQuotas: Readonly<Record<string, number>>;
  readonly lambdaConcurrency: number;
  /** Versions of `cdk bootstrap` by region and qualifier. */
  readonly bootstraps: Readonly<Record<string, number>>;
  readonly sesProduction: boolean;
  /** Whether each identity is verified. */
  readonly sesIdentities: Readonly<Record<string, boolean>>;
  /** The region's stacks by name, with their status, and whether they are protected from being deleted. */
  readonly stacks: Readonly<Record<string, StandingStack>>;
  /** Digests of the images that the pipeline has pushed. */
  readonly images: readonly string[];
  /** vCPU and Auto Scaling group of each machine with a GPU. */
  readonly gpuMachines: readonly { readonly vcpus: number; readonly group: string | null }[];
  /** The stack of each VPC; null: made by hand, as the one that AWS gives to a new account. */
  readonly vpcs: readonly (string | null)[];
  /** Hosted zones by id. */
  readonly hostedZones: Readonly<Record<string, { readonly name: string; readonly isPrivate: boolean }>>;
  /** Rights that the credentials lack; `all` but sts:GetCallerIdentity, which AWS never refuses. */
  readonly forbidden: readonly string[] | 'all';
  /** How often each question is answered with “too many requests” before it is answered. */
  readonly busyTimes: number;
}

/** Zones with machines of the types g4dn.xlarge and t4g.micro. */
export const machineZoneIds = new Set(['use1-az1', 'use1-az2', 'use1-az4', 'use1-az5', 'use1-az6']);

/** Defaults of Service Quotas (“Default quota value”); for G and VT and Fargate those of new accounts. */
export const defaultQuotas: Readonly<Record<string, number>> = {
  'ec2/L-DB2E81BA': 0,
  'fargate/L-3032A538': 6,
  'vpc/L-F678F1CE': 5,
};

/** An account on its first day, whose letters a and b are not the best. */
export const emptyAccount: AccountFacts = {
  linkedRoles: [],
  zoneIds: {
    'us-east-1a': 'use1-az3',
    'us-east-1b': 'use1-az1',
    'us-east-1c': 'use1-az2',
    'us-east-1d': 'use1-az4',
    'us-east-1e': 'use1-az5',
    'us-east-1f': 'use1-az6',
  },
  databaseZoneIds: ['use1-az1', 'use1-az2', 'use1-az4', 'use1-az5', 'use1-az6'],
  appliedQuotas: {},
  lambdaConcurrency: 10,
  bootstraps: {},
  sesProduction: false,
  sesIdentities: {},
  stacks: {},
  images: [],
  gpuMachines: [],
  vpcs: [null],
  hostedZones: {},
  forbidden: [],
  busyTimes: 0,
};

/** An account that has everything which an own stage needs. */
export const goodAccount: AccountFacts = {
  ...emptyAccount,
  linkedRoles: [
    'ecs.amazonaws.com',
    'ecs.application-autoscaling.amazonaws.com',
    'autoscaling.amazonaws.com',
    'rds.amazonaws.com',
    'support.amazonaws.com',
  ],
  zoneIds: { 'us-east-1a': 'use1-az1', 'us-east-1b': 'use1-az2', 'us-east-1c': 'use1-az3', 'us-east-1d': 'use1-az4' },
  appliedQuotas: { 'ec2/L-DB2E81BA': 64, 'fargate/L-3032A538': 100 },
  lambdaConcurrency: 1000,
  bootstraps: { 'us-east-1/hnb659fds': 30 },
  sesProduction: true,
  images: [`sha256:${'a'.repeat(64)}`],
};
