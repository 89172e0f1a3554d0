// Where uploads and the renditions prepared from them are kept.
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership, StorageClass } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { renditionsPrefix } from '../../lambda/publisher/environment.ts';
import { acknowledge, acknowledgeForCheckov, wildcardResource } from '../shared/acknowledge.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface MediaStackProps {
  readonly settings: StageSettings;
}

export class MediaStack extends Stack {
  /**
   * Users' uploads, and under `renditionsPrefix` what they were prepared to, once for each content, quality, framerate and codec. Reached by
   * presigned URLs, which there are of uploads only, and by our own roles, never in public; from web pages as `SiteCors` allows.
   */
  readonly uploads: Bucket;
  /** The right to read, write and delete objects in it. */
  readonly objectAccess: ManagedPolicy;

  constructor(scope: Construct, id: string, { settings }: MediaStackProps) {
    super(scope, id, { terminationProtection: settings.keepData });
    const removalPolicy = settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    const common = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy,
    };
    const key = new Key(this, 'Key', { description: 'Uploads and renditions', enableKeyRotation: true, removalPolicy });
    // Bucket keys: KMS is asked, and paid, for a bucket now and then instead of for each object.
    const encrypted = { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true };
    const accessLogs = new Bucket(this, 'AccessLogs', {
      ...common,
      // S3 writes its logs with no other keys than its own.
      encryption: BucketEncryption.S3_MANAGED,
      lifecycleRules: [{ expiration: Duration.days(settings.logRetentionDays) }],
    });

    this.uploads = new Bucket(this, 'Uploads', {
      ...common,
      ...encrypted,
      serverAccessLogsBucket: accessLogs,
      lifecycleRules: [
        // Parts of imports that a crash left behind. What was put and never completed looks like any other object here: the minute sweep deletes it.
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // Never expired by age: a stream may play one for years. Those that nobody plays get cheaper by themselves.
        {
          prefix: renditionsPrefix,
          transitions: [{ storageClass: StorageClass.INTELLIGENT_TIERING, transitionAfter: Duration.days(30) }],
        },
      ],
    });

    acknowledgeForCheckov(
      accessLogs,
      'Logs of logs are not kept, and no line of them is ever overwritten.',
      'CKV_AWS_18',
      'CKV_AWS_21',
    );
    acknowledgeForCheckov(
      this.uploads,
      'An upload is written once, and what a user deletes is to be gone; a rendition can be made again.',
      'CKV_AWS_21',
    );

    // By hand: the bucket's own grants are wider (every version, tag and lock). Listing lets HEAD tell a missing object from a forbidden one.
    const objects = this.uploads.arnForObjects('*');
    this.objectAccess = new ManagedPolicy(this, 'ObjectAccess', {
      statements: [
        new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.uploads.bucketArn] }),
        new PolicyStatement({
          actions: [
            's3:GetObject',
            's3:PutObject',
            's3:AbortMultipartUpload',
            's3:ListMultipartUploadParts',
            's3:DeleteObject',
          ],
          resources: [objects],
        }),
        // Whoever signs a URL needs these for whoever uses it.
        new PolicyStatement({ actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: [key.keyArn] }),
      ],
    });
    acknowledge(this.objectAccess, 'All objects of the bucket are this service’s.', wildcardResource(this, objects));
  }
}
