// Compares the account's quotas in the stage's region with the needs of the stage and the usage of others.
import { z } from 'zod';
import { Unanswered } from '../ask-aws.ts';
import { awsOptions, type Check, type CheckContext, type Finding, orAbsent, orWhyNot } from '../check.ts';
import { type Need, needsOf, type StageNeeds } from '../stage-needs.ts';
import { type UsageOfOthers, usedAddresses, usedGpuVcpus, usedInternetGateways, usedVpcs } from '../usage.ts';

interface Quota {
  readonly what: string;
  readonly need: keyof StageNeeds;
  readonly service: string;
  readonly code: string;
  /**
   * The default of AWS, if new accounts have less: Service Quotas reports the default, and refuses requests below it.
   */
  readonly askAtLeast?: number;
  /** The usage of others; null: AWS has no cheap answer. */
  readonly used: UsageOfOthers | null;
}

/** Codes as in Service Quotas (ListServiceQuotas), by its name of the service. */
const table: readonly Quota[] = [
  { what: 'VPCs', need: 'vpcs', service: 'vpc', code: 'L-F678F1CE', used: usedVpcs },
  {
    what: 'Internet gateways',
    need: 'internetGateways',
    service: 'vpc',
    code: 'L-A4707A72',
    used: usedInternetGateways,
  },
  { what: 'Elastic IP addresses', need: 'elasticAddresses', service: 'ec2', code: 'L-0263D0A3', used: usedAddresses },
  { what: 'NAT gateways in a zone', need: 'natGatewaysInAZone', service: 'vpc', code: 'L-FE5A380F', used: null },
  {
    what: 'vCPU of running on-demand G and VT instances',
    need: 'gpuVcpus',
    service: 'ec2',
    code: 'L-DB2E81BA',
    used: usedGpuVcpus,
  },
  { what: 'vCPU of Fargate on-demand', need: 'fargateVcpus', service: 'fargate', code: 'L-3032A538', used: null },
];

const lambdaQuota: Omit<Quota, 'used'> = {
  what: 'Concurrent Lambda executions',
  need: 'concurrentCalls',
  service: 'lambda',
  code: 'L-B99A9384',
  // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: 1,000, and less in new accounts
  askAtLeast: 1000,
};

const quotaAnswer = z.object({ Quota: z.object({ Value: z.number() }) });
const lambdaAnswer = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) });

export const quotas: readonly Check[] = table.map((quota) => ({
  name: quota.what,
  async run(context) {
    const [limit, used] = await Promise.all([
      limitOf(quota, context),
      quota.used === null ? null : orWhyNot(quota.used(context)),
    ]);
    return [quotaFinding(quota, { limit, used }, context)];
  },
}));

/** Lambda reports the effective limit, which is at first lower than the one in Service Quotas. */
export const lambdaConcurrency: Check = {
  name: lambdaQuota.what,
  async run(context) {
    const { AccountLimit } = await context.ask({
      service: 'lambda',
      action: 'GetAccountSettings',
      path: '/2016-08-19/account-settings',
      answer: lambdaAnswer,
    });
    return [quotaFinding(lambdaQuota, { limit: AccountLimit.ConcurrentExecutions, used: null }, context)];
  },
};

/** Without an earlier request for another value, Service Quotas may know only the default. */
async function limitOf({ service, code }: Quota, { ask }: CheckContext): Promise<number> {
  const question = {
    service: 'servicequotas',
    input: { ServiceCode: service, QuotaCode: code },
    answer: quotaAnswer,
  } as const;
  const applied = await orAbsent(ask({ ...question, action: 'GetServiceQuota' }), 'NoSuchResourceException');
  return (applied ?? (await ask({ ...question, action: 'GetAWSDefaultServiceQuota' }))).Quota.Value;
}

interface Measured {
  readonly limit: number;
  /** Null: not queried. */
  readonly used: number | Unanswered | null;
}

function quotaFinding(
  { what, need, service, code, askAtLeast = 0 }: Omit<Quota, 'used'>,
  { limit, used }: Measured,
  { command }: CheckContext,
): Finding {
  const { toDeploy, atMost } = needsOf(command.settings)[need];
  const ofOthers = typeof used === 'number' ? used : 0;
  const free = limit - ofOthers;
  const row = { what, needed: neededText({ toDeploy, atMost }), found: foundText({ limit, used }) };
  const unknown =
    used instanceof Unanswered ? [`What others use is not known: ${used.right} answers ${used.code}.`] : [];
  if (free >= atMost) return { ...row, state: unknown.length > 0 ? 'warning' : 'there', remedy: unknown };
  const increase = [
    '$ aws service-quotas request-service-quota-increase',
    `--service-code ${service} --quota-code ${code} --desired-value ${Math.max(atMost + ofOthers, askAtLeast)}`,
    awsOptions(command),
  ].join(' ');
  if (free < toDeploy) return { ...row, state: 'missing', remedy: [...unknown, increase] };
  const enough = 'Enough to deploy, not to grow to the maximum of the settings.';
  return { ...row, state: 'warning', remedy: [...unknown, enough, increase] };
}

function foundText({ limit, used }: Measured): string {
  if (used === null) return `${limit}`;
  return `${limit}, of which others use ${used instanceof Unanswered ? '?' : used}`;
}

function neededText({ toDeploy, atMost }: Need): string {
  return toDeploy === atMost ? `${toDeploy}` : `${toDeploy} to deploy, ${atMost} at most`;
}
