// Quotas that a deployment would wait for in silence: vCPU of machines and tasks, and calls of functions.
import { EC2Client, paginateDescribeInstances, paginateDescribeVpcs, type Tag } from '@aws-sdk/client-ec2';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import { absentIf, awsOptions, type Check, type CheckContext, found, type Finding, itemsOf } from '../check.ts';
import type { QuotaNeeds } from '../stage-needs.ts';

interface Quota {
  readonly what: string;
  readonly need: keyof QuotaNeeds;
  /** The service and the code of the quota, as Service Quotas lists them (ListServiceQuotas). */
  readonly service: string;
  readonly code: string;
  /** The default, if a new account has less: Service Quotas takes it for what there is, and no request for less. */
  readonly askAtLeast?: number;
}

const gpuQuota: Quota = {
  what: 'vCPU of running on-demand G and VT instances',
  need: 'gpuVcpus',
  service: 'ec2',
  code: 'L-DB2E81BA',
};
const fargateQuota: Quota = {
  what: 'vCPU of Fargate on-demand',
  need: 'fargateVcpus',
  service: 'fargate',
  code: 'L-3032A538',
};
const lambdaQuota: Quota = {
  what: 'Concurrent Lambda executions',
  need: 'concurrentCalls',
  service: 'lambda',
  code: 'L-B99A9384',
  // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: 1,000, and less in new accounts
  askAtLeast: 1000,
};
const vpcQuota: Quota = { what: 'VPCs in the region', need: 'vpcs', service: 'vpc', code: 'L-F678F1CE' };

export const gpuVcpus: Check = {
  name: gpuQuota.what,
  async run(context) {
    const [limit, used] = await Promise.all([limitOf(gpuQuota, context), gpuVcpusOfOthers(context)]);
    return [quotaFinding(gpuQuota, limit, context, used)];
  },
};

export const fargateVcpus: Check = {
  name: fargateQuota.what,
  run: async (context) => [quotaFinding(fargateQuota, await limitOf(fargateQuota, context), context)],
};

export const vpcs: Check = {
  name: vpcQuota.what,
  async run(context) {
    // A stage may be in a given network.
    if (context.needs.vpcs.toDeploy === 0) return [];
    const [limit, used] = await Promise.all([limitOf(vpcQuota, context), vpcsOfOthers(context)]);
    return [quotaFinding(vpcQuota, limit, context, used)];
  },
};

/** Lambda itself tells the limit that holds. It is lower at first than what Service Quotas tells. */
export const lambdaConcurrency: Check = {
  name: lambdaQuota.what,
  async run(context) {
    const { AccountLimit } = await new LambdaClient(context.aws).send(new GetAccountSettingsCommand({}));
    return [quotaFinding(lambdaQuota, AccountLimit?.ConcurrentExecutions ?? 0, context)];
  },
};

/** Until the account has requested another value, Service Quotas may know only the default. */
async function limitOf({ service: ServiceCode, code: QuotaCode }: Quota, { aws }: CheckContext): Promise<number> {
  const client = new ServiceQuotasClient(aws);
  const input = { ServiceCode, QuotaCode };
  const applied = await client.send(new GetServiceQuotaCommand(input)).catch(absentIf('NoSuchResourceException'));
  const { Quota: quota } = applied ?? (await client.send(new GetAWSDefaultServiceQuotaCommand(input)));
  return quota?.Value ?? 0;
}

/** vCPU of running machines of the g and vt families, which share a quota, but for those of the stage. */
async function gpuVcpusOfOthers({ command, aws }: CheckContext): Promise<number> {
  const filters = {
    Filters: [
      { Name: 'instance-type', Values: ['g*', 'vt*'] },
      { Name: 'instance-state-name', Values: ['pending', 'running'] },
    ],
  };
  const pages = paginateDescribeInstances({ client: new EC2Client(aws) }, filters);
  const reservations = await itemsOf(pages, ({ Reservations }) => Reservations);
  return (
    reservations
      .flatMap(({ Instances = [] }) => Instances)
      // CloudFormation begins the name of a group with that of its stack.
      .filter(({ Tags = [] }) => !isOfStage(Tags, 'aws:autoscaling:groupName', command.stage))
      .reduce((sum, { CpuOptions }) => sum + (CpuOptions?.CoreCount ?? 0) * (CpuOptions?.ThreadsPerCore ?? 1), 0)
  );
}

async function vpcsOfOthers({ command, aws }: CheckContext): Promise<number> {
  const all = await itemsOf(paginateDescribeVpcs({ client: new EC2Client(aws) }, {}), ({ Vpcs }) => Vpcs);
  return all.filter(({ Tags = [] }) => !isOfStage(Tags, 'aws:cloudformation:stack-name', command.stage)).length;
}

/** @param key of a tag that only AWS sets, with the name of a stack at its beginning */
function isOfStage(tags: readonly Tag[], key: string, stage: string): boolean {
  const ofStage = new RegExp(`^${stage}-[A-Z]`);
  return tags.some(({ Key, Value = '' }) => Key === key && ofStage.test(Value));
}

/** @param used by others */
function quotaFinding(
  { what, need, service, code, askAtLeast = 0 }: Quota,
  limit: number,
  { command, needs }: CheckContext,
  used = 0,
): Finding {
  const { toDeploy, atMost } = needs[need];
  const row = {
    what,
    needed: toDeploy === atMost ? `${toDeploy}` : `${toDeploy || 'none'} to deploy, ${atMost} at most`,
    found: used === 0 ? `${limit}` : `${limit}; others use ${used}`,
  };
  const increase =
    `$ aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code} ` +
    `--desired-value ${Math.max(atMost + used, askAtLeast)} ${awsOptions(command)}`;
  if (limit - used < toDeploy) return found(row, 'missing', [increase]);
  const enough = 'The quota is enough to deploy, but not for the maximum of the settings.';
  return found(row, limit - used < atMost ? 'warning' : 'there', [enough, increase]);
}
