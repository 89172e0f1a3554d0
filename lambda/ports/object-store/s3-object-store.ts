// The object store in AWS: one S3 bucket.
import {
  AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CreateMultipartUploadCommand, DeleteObjectCommand, GetObjectCommand,
  HeadObjectCommand, NoSuchKey, NotFound, PutObjectCommand, S3Client, UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { CompletedPart, S3ClientConfig } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Readable } from 'node:stream';
import { assertObjectKey, assertPutLimits, ObjectNotFound } from './object-store.ts';
import type { ObjectStore } from './object-store.ts';

export interface S3ObjectStoreOptions {
  readonly bucket: string;
  readonly client?: S3ClientConfig;
  readonly now?: () => Date;
}

/** At most 10,000 parts an object (Amazon S3 user guide, "Multipart upload limits"), so objects up to 156 GiB. Also the memory of one write. */
const partBytes = 16 * 1024 ** 2;

/** Signed URLs end with the credentials that signed them, if those end first. An upload given up for good leaves parts to the bucket's lifecycle rule. */
export function createS3ObjectStore({ bucket: Bucket, client, now = () => new Date() }: S3ObjectStoreOptions): ObjectStore {
  // Otherwise the SDK signs the checksum of an empty body into upload URLs, and the PUT of any other body is refused.
  const s3 = new S3Client({ ...client, requestChecksumCalculation: 'WHEN_REQUIRED' });

  return {
    async presignPut(Key, limits) {
      assertObjectKey(Key);
      assertPutLimits(limits);
      const { contentType, contentLength, expiresInSeconds } = limits;
      const signedAt = Math.floor(now().getTime() / 1000);
      const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key, ContentType: contentType, ContentLength: contentLength }), {
        expiresIn: expiresInSeconds,
        signingDate: new Date(signedAt * 1000),
        signableHeaders: new Set(['content-type', 'content-length']),
      });
      return { url, headers: { 'content-type': contentType }, expiresAt: new Date((signedAt + expiresInSeconds) * 1000) };
    },

    async presignGet(Key, { expiresInSeconds }) {
      assertObjectKey(Key);
      return getSignedUrl(s3, new GetObjectCommand({ Bucket, Key }), { expiresIn: expiresInSeconds, signingDate: now() });
    },

    async head(Key) {
      assertObjectKey(Key);
      try {
        const { ContentLength = 0, ContentType = '' } = await s3.send(new HeadObjectCommand({ Bucket, Key }));
        return { sizeBytes: ContentLength, contentType: ContentType };
      } catch (error) {
        if (error instanceof NotFound) return null;
        throw error;
      }
    },

    async read(Key, range) {
      assertObjectKey(Key);
      try {
        const Range = range && `bytes=${range.start}-${range.end}`;
        const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
        if (!(Body instanceof Readable)) throw new TypeError('S3 answered without a body');
        return Body;
      } catch (error) {
        throw error instanceof NoSuchKey ? new ObjectNotFound(Key) : error;
      }
    },

    async write(Key, body, { contentType: ContentType }) {
      assertObjectKey(Key);
      const target = { Bucket, Key };
      let UploadId: string | undefined;
      const uploaded: CompletedPart[] = [];
      const upload = async (part: Buffer) => {
        UploadId ??= (await s3.send(new CreateMultipartUploadCommand({ ...target, ContentType }))).UploadId;
        const PartNumber = uploaded.length + 1;
        const { ETag } = await s3.send(new UploadPartCommand({ ...target, UploadId, PartNumber, Body: part }));
        uploaded.push({ ETag, PartNumber });
      };
      try {
        let last = Buffer.alloc(0);
        for await (const part of partsOf(body)) {
          if (last.length > 0) await upload(last);
          last = part;
        }
        if (UploadId === undefined) {
          await s3.send(new PutObjectCommand({ ...target, Body: last, ContentType }));
          return;
        }
        await upload(last);
        await s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts: uploaded } }));
      } catch (error) {
        if (UploadId !== undefined) await s3.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {});
        throw error;
      }
    },

    async delete(Key) {
      assertObjectKey(Key);
      await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
}

/** Cuts a stream into buffers of `partBytes`, the last one shorter. */
async function* partsOf(body: Readable | Buffer): AsyncGenerator<Buffer<ArrayBuffer>> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const piece of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>)) {
    let chunk = piece;
    while (size + chunk.length >= partBytes) {
      const taken = partBytes - size;
      yield Buffer.concat([...chunks, chunk.subarray(0, taken)]);
      chunk = chunk.subarray(taken);
      chunks = [];
      size = 0;
    }
    chunks.push(chunk);
    size += chunk.length;
  }
  if (size > 0) yield Buffer.concat(chunks);
}
