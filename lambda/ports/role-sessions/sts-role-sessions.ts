// Role sessions by AWS STS, in the region of the caller.
import type { STSClientConfig } from '@aws-sdk/client-sts';
import { serviceOfAWS } from '../../domain/shared/aws-partition.ts';
import { RoleRefused } from './role-sessions.ts';
import type { RoleRequest, RoleSessions } from './role-sessions.ts';

/** Shortest session of STS. A link signed with its keys is opened at once. */
const sessionSeconds = 900;

export function createSTSRoleSessions(principal: string, client: STSClientConfig): RoleSessions {
  return {
    principal,
    async open({ roleARN, externalID, bucket }, signal) {
      const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts');
      const command = new AssumeRoleCommand({
        RoleArn: roleARN,
        // CloudTrail of the role's account shows this name.
        RoleSessionName: 'watched-source',
        ExternalId: externalID,
        DurationSeconds: sessionSeconds,
        Policy: JSON.stringify(readingOf(roleARN, bucket)),
      });
      const { Credentials } = await new STSClient(client).send(command, { abortSignal: signal }).catch(asRefusal);
      const {
        AccessKeyId: accessKeyID,
        SecretAccessKey: secretAccessKey,
        SessionToken: sessionToken,
      } = Credentials ?? {};
      if (accessKeyID === undefined || secretAccessKey === undefined || sessionToken === undefined)
        throw new TypeError('STS answered without credentials');
      return { accessKeyID, secretAccessKey, sessionToken };
    },
  };
}

/** Limits of a session, whatever its role allows ("Session policies" in the IAM user guide). */
function readingOf(roleARN: string, bucket: RoleRequest['bucket']) {
  const [, partition] = roleARN.split(':');
  const inS3 = `arn:${partition}:s3:::${bucket}`;
  return {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: 's3:ListBucket', Resource: inS3 },
      { Effect: 'Allow', Action: 's3:GetObject', Resource: `${inS3}/*` },
      // Objects may be encrypted with a key of the account.
      {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: '*',
        Condition: { StringLike: { 'kms:ViaService': serviceOfAWS('s3.*') } },
      },
    ],
  };
}

function asRefusal(error: unknown): never {
  throw error instanceof Error && error.name === 'AccessDenied' ? new RoleRefused(error.name, { cause: error }) : error;
}
