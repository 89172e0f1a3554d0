// The partitions of AWS, and how hosts and services are named in them: the only place that knows these names.

/** As ARNs name them. */
export const awsPartitions = ['aws', 'aws-cn', 'aws-us-gov'] as const;
export type AWSPartition = (typeof awsPartitions)[number];

/** https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html */
const dnsSuffixes: Readonly<Record<AWSPartition, string>> = {
  aws: 'amazonaws.com',
  'aws-cn': 'amazonaws.com.cn',
  'aws-us-gov': 'amazonaws.com',
};

export function partitionOf(region: string): AWSPartition {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

/** The host of a service in a region. @param service as AWS' list of endpoints names it, such as `sts` */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.${dnsSuffixes[partitionOf(region)]}`;
}

/** The host of a service that is one for a whole partition. @param name what stands before the partition's suffix */
export function partitionHost(name: string, partition: AWSPartition): string {
  return `${name}.${dnsSuffixes[partition]}`;
}

/** A service as the subject of rights. In all partitions it has the same name. */
export function serviceOfAWS(service: string): string {
  return `${service}.${dnsSuffixes.aws}`;
}

/** Whether a host is one of AWS' own. */
export function isAWSHost(host: string): boolean {
  return Object.values(dnsSuffixes).some((suffix) => host.endsWith(`.${suffix}`));
}
