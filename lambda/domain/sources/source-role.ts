// Roles in accounts of users, by which their buckets are opened: which may be named, and what they have to say of us.
import { awsPartition, isAWSHost } from '../shared/aws-partition.ts';

/**
 * What names of such roles begin with. Import workers may take on no others (lib/publishing/import-workers.ts), so that
 * nobody who takes over a worker, or names a role of ours, gets rights that were not meant for it.
 */
export const sourceRolePrefix = 'loop-source';

const roleARNs = new RegExp(`^arn:${awsPartition}:iam::\\d{12}:role/${sourceRolePrefix}[\\w+=,.@-]{0,53}$`, 'u');
const awsEndpoint = /^https:\/\/(s3[.-](?:[a-z0-9-]+\.)+[a-z]+)$/u;

export function isSourceRole(roleARN: string): boolean {
  return roleARNs.test(roleARN);
}

/** Whether an endpoint may see what a role has signed. @param endpoint scheme and host, as in `S3Place` */
export function isAWSEndpoint(endpoint: string): boolean {
  const [, host] = awsEndpoint.exec(endpoint) ?? [];
  return host !== undefined && isAWSHost(host);
}

/**
 * The external ID by which roles tell for whom we ask. It is one of each user, whom we give it, so that nobody reaches
 * somebody else's bucket by naming that one's role ("The confused deputy problem" in the IAM user guide).
 */
export function externalIDOf({ user_id: userID }: { readonly user_id: string }): string {
  return userID;
}
