// Clients of buckets of users: with their keys or none, never with ours, and to checked addresses only.
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Place } from '../../domain/sources/source-url.ts';
import type { Keys } from './source-keys.ts';

/**
 * For how long a signed link opens, which has to last until the first byte only. That of a role ends with its session.
 */
const signedSeconds = 3600;

/** @param keys null: requests are not signed. What this process may itself is never used. */
export function s3ClientConfig({ endpoint, region }: S3Place, keys: Keys | null): S3ClientConfig {
  return {
    endpoint,
    region,
    credentials: {
      accessKeyId: keys?.accessKeyID ?? '',
      secretAccessKey: keys?.secretAccessKey ?? '',
      ...(keys && 'sessionToken' in keys && { sessionToken: keys.sessionToken }),
    },
    ...(keys === null && { signer: { sign: async (request) => request } }),
    forcePathStyle: true,
    // A session is asked for at another host than the endpoint.
    disableS3ExpressSessionAuth: true,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

/** For a client that only signs: whatever else it may come to ask for would go past the checks of addresses. */
const sendsNothing = {
  handle: () => Promise.reject(new Error('a client that only signs would send a request')),
};

export async function presignedURL(place: S3Place, keys: Keys): Promise<string> {
  const [{ GetObjectCommand, S3Client }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  const command = new GetObjectCommand({ Bucket: place.bucket, Key: place.key });
  const s3 = new S3Client({ ...s3ClientConfig(place, keys), requestHandler: sendsNothing });
  return getSignedUrl(s3, command, { expiresIn: signedSeconds });
}
