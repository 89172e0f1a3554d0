// Where uploads and the renditions prepared from them are kept.
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership, StorageClass } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge, wildcardResource } from '../shared/acknowledge.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface MediaStackProps {
  readonly settings: StageSettings;
}

export class MediaStack extends Stack {
  /** Users' uploads. Reached by presigned URLs and by our own roles, never in public. */
  readonly uploads: Bucket;
  /** What uploads were prepared to, once for each content, quality and framerate. Reached by our own roles only. */
  readonly renditions: Bucket;
  /** The right to read, write and delete objects in both. */
  readonly objectAccess: ManagedPolicy;

  constructor(scope: Construct, id: string, { settings }: MediaStackProps) {
    super(scope, id, { terminationProtection: settings.keepData });
    // S3's own keys: with a KMS key every presigned PUT would need rights on the key too, and each request would cost.
    const common = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    };
    const accessLogs = new Bucket(this, 'AccessLogs', {
      ...common,
      lifecycleRules: [{ expiration: Duration.days(settings.logRetentionDays) }],
    });

    this.uploads = new Bucket(this, 'Uploads', {
      ...common,
      serverAccessLogsBucket: accessLogs,
      // Parts of imports that a crash left behind. A single PUT is whole or nothing; objects that were
      // put but never completed look like any other here, and only the database knows to delete them.
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      // Any origin: the signature in the URL is what permits, and users upload from pages of their own.
      cors: [{ allowedMethods: [HttpMethods.PUT, HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ['*'], allowedHeaders: ['*'], exposedHeaders: ['ETag'], maxAge: 3600 }],
    });

    this.renditions = new Bucket(this, 'Renditions', {
      ...common,
      serverAccessLogsBucket: accessLogs,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // Never expired by age: a stream may play one for years. Those that nobody plays get cheaper by themselves.
        { transitions: [{ storageClass: StorageClass.INTELLIGENT_TIERING, transitionAfter: Duration.days(30) }] },
      ],
    });

    // By hand: the bucket's own grants are wider (every version, tag and lock). Listing lets HEAD tell a missing object from a forbidden one.
    const buckets = [this.uploads, this.renditions];
    const objects = buckets.map((bucket) => bucket.arnForObjects('*'));
    this.objectAccess = new ManagedPolicy(this, 'ObjectAccess', {
      statements: [
        new PolicyStatement({ actions: ['s3:ListBucket'], resources: buckets.map(({ bucketArn }) => bucketArn) }),
        new PolicyStatement({ actions: ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts', 's3:DeleteObject'], resources: objects }),
      ],
    });
    acknowledge(this.objectAccess, 'All objects of the buckets are this service’s.', ...objects.map((arn) => wildcardResource(this, arn)));
  }
}
