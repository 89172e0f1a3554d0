// The usage of an account's quotas in its region by others than the stage.
import { z } from 'zod';
import { type CheckContext, xmlList } from './check.ts';
import { isOfStage, tags, vpcsInRegion } from './standing-stage.ts';

/** @returns the usage of others @throws {Unanswered} */
export type UsageOfOthers = (context: CheckContext) => Promise<number>;

const addressesAnswer = z.object({
  DescribeAddressesResponse: z.object({ addressesSet: xmlList('item', z.object({ tagSet: tags })) }),
});
const gatewaysAnswer = z.object({
  DescribeInternetGatewaysResponse: z.object({ internetGatewaySet: xmlList('item', z.object({ tagSet: tags })) }),
});
const cpuOptions = z.object({ coreCount: z.coerce.number(), threadsPerCore: z.coerce.number() });
const instance = z.object({ cpuOptions: cpuOptions.optional(), tagSet: tags });
const instancesAnswer = z.object({
  DescribeInstancesResponse: z.object({
    reservationSet: xmlList('item', z.object({ instancesSet: xmlList('item', instance) })),
    nextToken: z.string().optional(),
  }),
});
const pagesMax = 20;

export const usedVpcs: UsageOfOthers = async (context) => (await vpcsInRegion(context)).ofOthers;

export const usedAddresses: UsageOfOthers = async ({ command, ask }) => {
  const answer = await ask({ service: 'ec2', action: 'DescribeAddresses', answer: addressesAnswer });
  const { addressesSet } = answer.DescribeAddressesResponse;
  return addressesSet.filter(({ tagSet }) => !isOfStage(command.stage, tagSet)).length;
};

export const usedInternetGateways: UsageOfOthers = async ({ command, ask }) => {
  const answer = await ask({ service: 'ec2', action: 'DescribeInternetGateways', answer: gatewaysAnswer });
  const { internetGatewaySet } = answer.DescribeInternetGatewaysResponse;
  return internetGatewaySet.filter(({ tagSet }) => !isOfStage(command.stage, tagSet)).length;
};

/** vCPU of running machines of the g and vt families, which share a quota. */
export const usedGpuVcpus: UsageOfOthers = async ({ command, ask }) => {
  let vcpus = 0;
  let token: string | undefined;
  for (let page = 1; page <= pagesMax; page++) {
    const { DescribeInstancesResponse: answer } = await ask({
      service: 'ec2',
      action: 'DescribeInstances',
      input: {
        'Filter.1.Name': 'instance-type',
        'Filter.1.Value.1': 'g*',
        'Filter.1.Value.2': 'vt*',
        'Filter.2.Name': 'instance-state-name',
        'Filter.2.Value.1': 'pending',
        'Filter.2.Value.2': 'running',
        ...(token !== undefined && { NextToken: token }),
      },
      answer: instancesAnswer,
    });
    for (const { cpuOptions: cpu, tagSet } of answer.reservationSet.flatMap(({ instancesSet }) => instancesSet))
      if (cpu && !isOfStage(command.stage, tagSet)) vcpus += cpu.coreCount * cpu.threadsPerCore;
    token = answer.nextToken || undefined;
    if (token === undefined) break;
  }
  return vcpus;
};
