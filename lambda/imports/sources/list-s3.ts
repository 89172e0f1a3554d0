// Lists an S3 prefix by the SDK. Its requests pass the same checks as all requests to users' addresses.
import { HttpResponse } from '@smithy/core/transport';
import type { HttpRequest } from '@smithy/core/transport';
import { Readable } from 'node:stream';
import { isMediaFile } from '../../domain/sources/source-scan.ts';
import { s3URL } from '../../domain/sources/source-url.ts';
import type { S3Place } from '../../domain/sources/source-url.ts';
import { FileListing } from './file-listing.ts';
import type { ListingRequests } from './listing-requests.ts';
import { s3ClientConfig } from './s3-client.ts';
import { asScanError, refusalOf, ScanError } from './scan-error.ts';
import type { Keys } from './source-keys.ts';

/** @param keys null: requests are not signed @throws {ScanError} */
export async function listS3(place: S3Place, keys: Keys | null, requests: ListingRequests): Promise<FileListing> {
  const { ListObjectsV2Command, S3Client } = await import('@aws-sdk/client-s3');
  const s3 = new S3Client({ ...s3ClientConfig(place, keys), requestHandler: { handle: handleBy(requests) } });
  const listing = new FileListing();
  let after: string | undefined;
  do {
    const page = await s3
      .send(new ListObjectsV2Command({ Bucket: place.bucket, Prefix: place.key, ContinuationToken: after }))
      .catch((error: unknown) => Promise.reject(failureOf(error)));
    for (const { Key: key = '', ETag: etag = '', Size: sizeBytes = 0 } of page.Contents ?? []) {
      const path = key.slice(place.key.length).replace(/^\//, '');
      if (!key.startsWith(place.key) || sizeBytes === 0 || !isMediaFile(path.split('/').at(-1)!)) continue;
      const fileURL = s3URL({ ...place, key });
      const version = `${etag} ${sizeBytes}`;
      if (fileURL === null) listing.leftOut += 1;
      else listing.add({ path, url: fileURL, version, fingerprint: version, sizeBytes });
    }
    after = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (after !== undefined && listing.isWhole);
  return listing;
}

function handleBy(requests: ListingRequests) {
  return async ({ protocol, hostname, port, path, query, method, headers }: HttpRequest) => {
    const { buildQueryString } = await import('@smithy/core/protocols');
    const host = port === undefined ? hostname : `${hostname}:${port}`;
    // The signature is valid for this host only.
    const url = new URL(`${protocol}//${host}${path}?${buildQueryString(query)}`);
    const { status, headers: given, body } = await requests.send(url, { method, headers: {} }, headers);
    const flat = Object.entries(given).map(([name, value]) => [name, String(value)]);
    return {
      response: new HttpResponse({
        statusCode: status,
        headers: Object.fromEntries(flat),
        body: Readable.from([body]),
      }),
    };
  };
}

function failureOf(error: unknown): ScanError {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  if (status === undefined || error instanceof ScanError) return asScanError(error);
  if (status >= 300 && status < 400)
    return new ScanError('source_not_found', { seen: 'The bucket is in another region than the endpoint of the URL.' });
  return status < 300 ? new ScanError('answer_malformed', { cause: error }) : refusalOf(status);
}
