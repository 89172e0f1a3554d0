// Object store in AWS: one S3 bucket.
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { MultipartLost, partBytes } from '../../domain/media/upload-parts.ts';
import { assertObjectKey, assertPutLimits, dispositionOf, ObjectNotFound } from './object-store.ts';
import type { ObjectPart, ObjectStore } from './object-store.ts';

export interface S3ObjectStoreOptions {
  readonly bucket: string;
  readonly client?: S3ClientConfig;
  readonly now?: () => Date;
}

/** Time limit of storing a part, with all attempts of the SDK, which has no such limit itself. */
const partTimeoutMs = 300_000;

/**
 * A signed URL is valid no longer than the credentials that signed it. A lifecycle rule of the bucket deletes the parts
 * of objects that are never completed.
 */
export function createS3ObjectStore({
  bucket: Bucket,
  client,
  now = () => new Date(),
}: S3ObjectStoreOptions): ObjectStore {
  let connected: ReturnType<typeof connect> | undefined;
  const connection = () => {
    connected ??= connect(client);
    return connected;
  };

  const store: ObjectStore = {
    async presignPut(Key, limits) {
      assertObjectKey(Key);
      const { s3, getSignedUrl, PutObjectCommand } = await connection();
      assertPutLimits(limits);
      const { contentType: ContentType, contentLength: ContentLength, expiresInSeconds } = limits;
      const signedAt = Math.floor(now().getTime() / 1000);
      const command = new PutObjectCommand({ Bucket, Key, ContentType, ContentLength, IfNoneMatch: '*' });
      const url = await getSignedUrl(s3, command, {
        expiresIn: expiresInSeconds,
        signingDate: new Date(signedAt * 1000),
        signableHeaders: new Set(['content-type', 'content-length', 'if-none-match']),
      });
      return {
        url,
        headers: { 'content-type': ContentType, 'if-none-match': '*' },
        expiresAt: new Date((signedAt + expiresInSeconds) * 1000),
      };
    },

    async presignGet(Key, { expiresInSeconds, downloadName }) {
      assertObjectKey(Key);
      const { s3, getSignedUrl, GetObjectCommand } = await connection();
      const ResponseContentDisposition = downloadName === undefined ? undefined : dispositionOf(downloadName);
      return getSignedUrl(s3, new GetObjectCommand({ Bucket, Key, ResponseContentDisposition }), {
        expiresIn: expiresInSeconds,
        signingDate: now(),
      });
    },

    async head(Key) {
      assertObjectKey(Key);
      const { s3, HeadObjectCommand, NotFound } = await connection();
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
      const { s3, GetObjectCommand, NoSuchKey } = await connection();
      try {
        const Range = range && `bytes=${range.start}-${range.end}`;
        const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
        if (!(Body instanceof Readable)) throw new TypeError('S3 answered without a body');
        return Body;
      } catch (error) {
        throw error instanceof NoSuchKey ? new ObjectNotFound(Key) : error;
      }
    },

    async write(Key, body, facts) {
      assertObjectKey(Key);
      const { s3, PutObjectCommand } = await connection();
      let multipartID: string | undefined;
      const uploaded: ObjectPart[] = [];
      const upload = async (part: Buffer) => {
        multipartID ??= await store.createMultipart(Key, facts);
        uploaded.push(await store.putPart(Key, multipartID, uploaded.length + 1, part));
      };
      try {
        let last = Buffer.alloc(0);
        for await (const part of partsOf(body)) {
          if (last.length > 0) await upload(last);
          last = part;
        }
        if (multipartID === undefined) {
          await s3.send(new PutObjectCommand({ Bucket, Key, Body: last, ContentType: facts.contentType }));
          return;
        }
        await upload(last);
        await store.completeMultipart(Key, multipartID, uploaded);
      } catch (error) {
        if (multipartID !== undefined) await store.abortMultipart(Key, multipartID).catch(() => {});
        throw error;
      }
    },

    async delete(Key) {
      assertObjectKey(Key);
      const { s3, DeleteObjectCommand } = await connection();
      await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    },

    async createMultipart(Key, { contentType: ContentType, hasSHA256 = false }) {
      assertObjectKey(Key);
      const { s3, CreateMultipartUploadCommand } = await connection();
      const ChecksumAlgorithm = hasSHA256 ? 'SHA256' : undefined;
      const command = new CreateMultipartUploadCommand({ Bucket, Key, ContentType, ChecksumAlgorithm });
      const { UploadId } = await s3.send(command);
      if (!UploadId) throw new TypeError('S3 answered without an upload id');
      return UploadId;
    },

    // The checksum stands in the query of the URL, so the client sends no header for it and S3 checks it.
    async presignPart(Key, UploadId, { partNumber, contentLength, sha256, expiresInSeconds }) {
      assertObjectKey(Key);
      const { s3, getSignedUrl, UploadPartCommand } = await connection();
      const signedAt = Math.floor(now().getTime() / 1000);
      const command = new UploadPartCommand({
        Bucket,
        Key,
        UploadId,
        PartNumber: partNumber,
        ContentLength: contentLength,
        ChecksumSHA256: sha256 ?? undefined,
      });
      const url = await getSignedUrl(s3, command, {
        expiresIn: expiresInSeconds,
        signingDate: new Date(signedAt * 1000),
        signableHeaders: new Set(['content-length']),
      });
      return { url, headers: {}, expiresAt: new Date((signedAt + expiresInSeconds) * 1000) };
    },

    async putPart(Key, UploadId, PartNumber, Body) {
      assertObjectKey(Key);
      const { s3, UploadPartCommand } = await connection();
      const abortSignal = AbortSignal.timeout(partTimeoutMs);
      const { ETag = '' } = await s3
        .send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }), { abortSignal })
        .catch(asLost(Key));
      return { partNumber: PartNumber, sizeBytes: Body.length, etag: ETag, sha256: null };
    },

    async listParts(Key, UploadId) {
      assertObjectKey(Key);
      const { s3, paginateListParts } = await connection();
      const listed: ObjectPart[] = [];
      try {
        for await (const { Parts = [] } of paginateListParts({ client: s3 }, { Bucket, Key, UploadId })) {
          for (const { PartNumber = 0, Size = 0, ETag = '', ChecksumSHA256 = null } of Parts)
            listed.push({ partNumber: PartNumber, sizeBytes: Size, etag: ETag, sha256: ChecksumSHA256 });
        }
      } catch (error) {
        asLost(Key)(error);
      }
      return listed;
    },

    async completeMultipart(Key, UploadId, parts) {
      assertObjectKey(Key);
      const { s3, CompleteMultipartUploadCommand } = await connection();
      const Parts = parts.map(({ partNumber, etag, sha256 }) => ({
        PartNumber: partNumber,
        ETag: etag,
        ChecksumSHA256: sha256 ?? undefined,
      }));
      await s3
        .send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
        .catch(asLost(Key));
    },

    async abortMultipart(Key, UploadId) {
      assertObjectKey(Key);
      const { s3, AbortMultipartUploadCommand } = await connection();
      await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch((error: unknown) => {
        if (!isLost(error)) throw error;
      });
    },
  };
  return store;
}

/** Loads the SDK at its first use, since few requests are about objects. */
async function connect(client: S3ClientConfig | undefined) {
  const [sdk, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  // Otherwise the SDK signs the checksum of an empty body into upload URLs, and any other body is refused.
  return { ...sdk, getSignedUrl, s3: new sdk.S3Client({ ...client, requestChecksumCalculation: 'WHEN_REQUIRED' }) };
}

/** See "Special errors" in https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
function isLost(error: unknown): boolean {
  return error instanceof Error && ['NoSuchUpload', 'InvalidPart'].includes(error.name);
}

function asLost(key: string): (error: unknown) => never {
  return (error) => {
    throw isLost(error) ? new MultipartLost(key, { cause: error }) : error;
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
