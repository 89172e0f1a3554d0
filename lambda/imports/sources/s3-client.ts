// Creates clients for users' buckets: with the user's keys or none, never with ours, and only to checked addresses.
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Place } from '../../domain/sources/source-url.ts';
import type { Keys } from './source-keys.ts';

/** Validity of a signed link, which must only last until the first byte. A role's link also ends with its session. */
const signedSeconds = 3600;

/** @param keys null: requests are not signed. This process's own credentials are never used. */
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
    // S3 Express would request a session at a host other than the endpoint.
    disableS3ExpressSessionAuth: true,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

/** Request handler of a client that only signs. Any request of it would bypass the checks of addresses. */
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
