// The storage of uploads and of the renditions prepared from them.
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type IBucket,
  type LifecycleRule,
  ObjectOwnership,
  ReplicationTimeValue,
  StorageClass,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import {
  expiringObjects,
  livePrefix,
  partsKeptDays,
  previewsPrefix,
  renditionsPrefix,
  uploadsPrefix,
} from '../../lambda/domain/media/object-keys.ts';
import { acknowledge, acknowledgeForCheckov, wildcardResource } from '../shared/acknowledge.ts';
import { deletedKeptDays, type RecoveryStack } from '../recovery/recovery-stack.ts';
import { acknowledgeGivenLogs, logPrefix } from '../shared/given-logs.ts';
import type { StageSettings } from '../stage-settings.ts';

/** The prefix of the missing object that the health check requests. */
const healthPrefix = 'health/';

export interface MediaStackProps {
  readonly settings: StageSettings;
  /** The target of upload copies; null: uploads are not copied. */
  readonly recovery: RecoveryStack | null;
}

export class MediaStack extends Stack {
  /**
   * Users' uploads and, under `renditionsPrefix`, the renditions prepared from them: one for each content, quality,
   * framerate and codec. The platform's roles reach all objects, and users reach uploads by signed URLs. Nothing is
   * public. `SiteCors` lists the web pages that may use the signed URLs.
   */
  readonly uploads: Bucket;
  /** The right to receive uploads: to sign URLs for uploads and their pictures, and to check whether they exist. */
  readonly takeInAccess: ManagedPolicy;
  /** The right to import uploads from other sources, part by part. */
  readonly importAccess: ManagedPolicy;
  /** The right to read uploads and their pictures, and nothing else. */
  readonly readAccess: ManagedPolicy;
  /** The right to read uploads and contributed segments, to write renditions, and to delete uploads and renditions. */
  readonly prepareAccess: ManagedPolicy;
  /** The right to write contributed segments, and nothing else. Null for a stage without a live ingest. */
  readonly contributeAccess: ManagedPolicy | null;

  constructor(scope: Construct, id: string, { settings, recovery }: MediaStackProps) {
    super(scope, id, { terminationProtection: settings.keepData });
    const removalPolicy = settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    const common = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy,
    };
    const key =
      settings.mediaKeyArn === null
        ? new Key(this, 'Key', { description: 'Uploads and renditions', enableKeyRotation: true, removalPolicy })
        : Key.fromKeyArn(this, 'Key', settings.mediaKeyArn);
    // With a bucket key, S3 calls KMS (which is paid) occasionally for the bucket, instead of for each object.
    const encrypted = { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true };
    const accessLogs = this.#accessLogs(settings, common);

    const copier = recovery && new Role(this, 'Copier', { assumedBy: new ServicePrincipal('s3') });
    this.uploads = new Bucket(this, 'Uploads', {
      ...common,
      ...encrypted,
      serverAccessLogsBucket: accessLogs,
      ...(settings.logBucketName !== null && { serverAccessLogsPrefix: logPrefix(this, 'uploads') }),
      ...(copier && recovery && copiedTo(recovery, copier)),
      lifecycleRules: [
        ...(recovery ? [keptForCopies] : []),
        // After a crash, parts may remain that no row knows. Otherwise the minute sweep deletes uploads that are never
        // completed, with their parts or with the object that was sent in one request.
        { prefix: uploadsPrefix, abortIncompleteMultipartUploadAfter: Duration.days(partsKeptDays) },
        ...expiringObjects.map(({ prefix, keptDays }) => ({ prefix, expiration: Duration.days(keptDays) })),
        { prefix: renditionsPrefix, abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // Renditions do not expire, because a stream may play one for years. Rarely read ones move to cheaper storage.
        {
          prefix: renditionsPrefix,
          transitions: [{ storageClass: StorageClass.INTELLIGENT_TIERING, transitionAfter: Duration.days(30) }],
        },
      ],
    });

    if (settings.logBucketName !== null) acknowledgeGivenLogs(this.uploads);
    if (copier && recovery) this.#letCopy(copier, key, recovery);
    acknowledgeForCheckov(
      this.uploads,
      'An upload is written once, and what a user deletes is to be gone; a rendition can be made again.',
      'CKV_AWS_21',
    );

    // S3 encrypts when it writes an object in one request. When it writes parts or reads an object, it also decrypts
    // (Amazon S3 user guide, "Required permissions"; KMS developer guide, "How Amazon S3 uses AWS KMS").
    const readingToo = { key, actions: ['kms:Decrypt', 'kms:GenerateDataKey'] };
    this.takeInAccess = this.#access('TakeInAccess', readingToo, {
      's3:PutObject': [uploadsPrefix, previewsPrefix],
      's3:ListMultipartUploadParts': [uploadsPrefix],
      's3:AbortMultipartUpload': [uploadsPrefix],
      's3:GetObject': [uploadsPrefix, renditionsPrefix, previewsPrefix, livePrefix, healthPrefix],
      's3:DeleteObject': [previewsPrefix],
    });
    this.readAccess = this.#access(
      'ReadAccess',
      { key, actions: ['kms:Decrypt'] },
      { 's3:GetObject': [uploadsPrefix] },
    );
    this.importAccess = this.#access('ImportAccess', readingToo, {
      's3:GetObject': [uploadsPrefix, livePrefix],
      's3:PutObject': [uploadsPrefix],
      's3:ListMultipartUploadParts': [uploadsPrefix],
      's3:AbortMultipartUpload': [uploadsPrefix],
      's3:DeleteObject': [uploadsPrefix],
    });
    this.prepareAccess = this.#access('PrepareAccess', readingToo, {
      's3:GetObject': [uploadsPrefix, renditionsPrefix, livePrefix],
      's3:PutObject': [renditionsPrefix, previewsPrefix],
      's3:AbortMultipartUpload': [uploadsPrefix, renditionsPrefix],
      's3:DeleteObject': [uploadsPrefix, renditionsPrefix, previewsPrefix],
    });
    // Segments are written in one request each, and nothing reads them again with this right.
    this.contributeAccess =
      settings.liveIngest &&
      this.#access('ContributeAccess', { key, actions: ['kms:GenerateDataKey'] }, { 's3:PutObject': [livePrefix] });
  }

  #accessLogs({ logBucketName, logRetentionDays }: StageSettings, common: BucketProps): IBucket {
    if (logBucketName !== null) return Bucket.fromBucketName(this, 'AccessLogs', logBucketName);
    const accessLogs = new Bucket(this, 'AccessLogs', {
      ...common,
      // S3 can encrypt its access logs only with its own keys.
      encryption: BucketEncryption.S3_MANAGED,
      lifecycleRules: [{ expiration: Duration.days(logRetentionDays) }],
    });
    acknowledgeForCheckov(
      accessLogs,
      'Logs of logs are not kept, and no line of them is ever overwritten.',
      'CKV_AWS_18',
      'CKV_AWS_21',
    );
    return accessLogs;
  }

  /** Lets S3 copy uploads only: the CDK's own role could use every key of the account. */
  #letCopy(role: Role, key: IKey, { uploads: copies, key: keyOfCopies }: RecoveryStack): void {
    const [from, to] = [this.uploads.arnForObjects(`${uploadsPrefix}*`), copies.arnForObjects(`${uploadsPrefix}*`)];
    const rights: readonly (readonly [actions: readonly string[], resource: string])[] = [
      [['s3:GetReplicationConfiguration', 's3:ListBucket'], this.uploads.bucketArn],
      [['s3:GetObjectVersionForReplication', 's3:GetObjectVersionAcl', 's3:GetObjectVersionTagging'], from],
      [['s3:ReplicateObject', 's3:ReplicateDelete', 's3:ReplicateTags'], to],
      [['kms:Decrypt'], key.keyArn],
      [['kms:Encrypt'], keyOfCopies.keyArn],
    ];
    for (const [actions, resource] of rights)
      role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [resource] }));
    acknowledge(
      role,
      'All uploads are copied, and their keys are known only once they are there.',
      wildcardResource(this, from),
      wildcardResource(this, to),
    );
  }

  /**
   * The CDK's grants for a bucket would allow more: every version, tag and lock.
   * @param prefixes prefixes of object keys, by the action that is allowed on these objects
   */
  #access(
    id: string,
    { key, actions }: { readonly key: IKey; readonly actions: readonly string[] },
    prefixes: Readonly<Record<string, readonly string[]>>,
  ): ManagedPolicy {
    const objects = (prefix: string) => this.uploads.arnForObjects(`${prefix}*`);
    // Without the right to list, a request for a missing object is answered with “forbidden”.
    const listing = new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.uploads.bucketArn] });
    const access = new ManagedPolicy(this, id, {
      statements: [
        ...('s3:GetObject' in prefixes ? [listing] : []),
        ...Object.entries(prefixes).map(
          ([action, allowed]) => new PolicyStatement({ actions: [action], resources: allowed.map(objects) }),
        ),
        // A signed URL has the rights of its signer, so the signer needs the rights on the key through S3.
        new PolicyStatement({
          actions: [...actions],
          resources: [key.keyArn],
          conditions: { StringEquals: { 'kms:ViaService': `s3.${this.region}.${this.urlSuffix}` } },
        }),
      ],
    });
    const used = new Set(Object.values(prefixes).flat());
    acknowledge(
      access,
      'All objects of the bucket are this service’s, and their keys are known only once they are there.',
      ...[...used].map((prefix) => wildcardResource(this, objects(prefix))),
    );
    return access;
  }
}

/** Part of the name of the metrics of copies. */
export const copyRuleID = 'uploads';

/** S3 copies only between buckets with versions. Deleted objects are removed for good a day later. */
const keptForCopies: LifecycleRule = {
  noncurrentVersionExpiration: Duration.days(deletedKeptDays),
  expiredObjectDeleteMarker: true,
};

/** Copies uploads only: renditions and previews can be made again. */
function copiedTo({ uploads, key }: RecoveryStack, replicationRole: Role) {
  return {
    versioned: true,
    replicationRole,
    replicationRules: [
      {
        id: copyRuleID,
        destination: uploads,
        priority: 0,
        // S3 counts the copies that fail only if it measures the rule.
        metrics: ReplicationTimeValue.FIFTEEN_MINUTES,
        filter: { prefix: uploadsPrefix },
        kmsKey: key,
        sseKmsEncryptedObjects: true,
        deleteMarkerReplication: true,
      },
    ],
  };
}
