// Names of hosts, services and ARNs in the standard partition of AWS: the only file that has them as literals.

/** The partition that ARNs name. */
export const awsPartition = 'aws';

const dnsSuffix = 'amazonaws.com';

/** The host of a service in a region. @param service name in AWS' list of endpoints, such as `sts` */
export function awsHost(service: string, region: string): string {
  return `${service}.${region}.${dnsSuffix}`;
}

/** The name of a service in policies, such as `scheduler.amazonaws.com`. */
export function serviceOfAWS(service: string): string {
  return `${service}.${dnsSuffix}`;
}

/** Whether a host belongs to AWS. */
export function isAWSHost(host: string): boolean {
  return host.endsWith(`.${dnsSuffix}`);
}
