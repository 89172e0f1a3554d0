// The synthetic stream's ingest in AWS: HLS by PUT into a bucket that accepts requests from within the VPC.
import { randomUUID } from 'node:crypto';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { awsHost } from '../domain/shared/aws-partition.ts';
import { streamKeyMark } from '../domain/destinations/ways/hls.ts';
import type { SyntheticIngest } from './synthetic-ingest.ts';

export interface S3IngestOptions {
  readonly bucket: string;
  readonly region: string;
  /** The configuration of the SDK's client, except the region. */
  readonly client?: S3ClientConfig;
}

/** Each start has its own stream key as a prefix of object keys. The bucket's lifecycle deletes objects. */
export function createS3Ingest({ bucket, region, client }: S3IngestOptions): SyntheticIngest {
  return {
    async open() {
      const { S3Client, ListObjectsV2Command } = await import('@aws-sdk/client-s3');
      const s3 = new S3Client({ region, ...client });
      const streamKey = randomUUID();
      return {
        destination: { url: `https://${bucket}.${awsHost('s3', region)}/${streamKeyMark}/`, streamKey },
        async hasPictures() {
          const listed = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${streamKey}/` }));
          // A segment contains pictures; the playlist arrives before the first segment.
          return (listed.Contents ?? []).some(({ Key = '', Size = 0 }) => Key.endsWith('.ts') && Size > 0);
        },
        async [Symbol.asyncDispose]() {
          s3.destroy();
        },
      };
    },
  };
}
