// Roles in users' AWS accounts that open their buckets: allowed names, and the external ID.
import { awsPartition, isAWSHost } from '../shared/aws-partition.ts';

/**
 * Prefix of the roles' names. Import workers may assume no others (lib/publishing/import-workers.ts), so a captured
 * worker, or a user who names a role of ours, gains no other rights.
 */
export const sourceRolePrefix = 'loop-source';

const roleARNs = new RegExp(`^arn:${awsPartition}:iam::\\d{12}:role/${sourceRolePrefix}[\\w+=,.@-]{0,53}$`, 'u');
const awsEndpoint = /^https:\/\/(s3[.-](?:[a-z0-9-]+\.)+[a-z]+)$/u;

export function isSourceRole(roleARN: string): boolean {
  return roleARNs.test(roleARN);
}

/** Whether an endpoint may see requests signed by a role. @param endpoint scheme and host, as in `S3Place` */
export function isAWSEndpoint(endpoint: string): boolean {
  const [, host] = awsEndpoint.exec(endpoint) ?? [];
  return host !== undefined && isAWSHost(host);
}

/**
 * External ID that a role's trust policy demands. Each user has one, so naming another user's role opens nothing (“The
 * confused deputy problem” in the IAM user guide).
 */
export function externalIDOf({ user_id: userID }: { readonly user_id: string }): string {
  return userID;
}
