// The resources of a stage in a second region: the key of the copies, and the bucket for copies of uploads.
import { CrossStackReferences, Duration, PhysicalName, ReferenceStrength, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership, StorageClass } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface RecoveryStackProps {
  readonly settings: StageSettings;
  /** The second region. */
  readonly region: string;
}

/** Days for which both regions keep objects that a user has deleted, because copies need versions. */
export const deletedKeptDays = 1;

export class RecoveryStack extends Stack {
  /** Encrypts the copies of backups and of uploads. */
  readonly key: IKey;
  /** Copies of uploads. Renditions can be made again. */
  readonly uploads: Bucket;

  constructor(scope: Construct, id: string, { settings, region }: RecoveryStackProps) {
    super(scope, id, {
      env: { region, ...(settings.account !== null && { account: settings.account }) },
      terminationProtection: settings.keepData,
    });
    const removalPolicy = settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    const { recoveryKeyArn } = settings;
    this.key =
      recoveryKeyArn === null
        ? new Key(this, 'Key', { description: 'Copies of backups and uploads', enableKeyRotation: true, removalPolicy })
        : Key.fromKeyArn(this, 'Key', recoveryKeyArn);
    this.uploads = new Bucket(this, 'Uploads', {
      // The stage's role names the bucket before it is created.
      bucketName: PhysicalName.GENERATE_IF_NEEDED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy,
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      versioned: true,
      lifecycleRules: [
        {
          noncurrentVersionExpiration: Duration.days(deletedKeptDays),
          expiredObjectDeleteMarker: true,
          transitions: [{ storageClass: StorageClass.INFREQUENT_ACCESS, transitionAfter: Duration.days(30) }],
        },
      ],
    });
    const reason = 'Nobody reads copies until the stage is recovered.';
    acknowledge(this.uploads, reason, 'AwsSolutions-S1');
    acknowledgeForCheckov(this.uploads, reason, 'CKV_AWS_18');
    // As in the stack Edge: other regions cannot import these resources, and neither is ever replaced.
    const made = recoveryKeyArn === null ? [this.key, this.uploads] : [this.uploads];
    for (const resource of made) CrossStackReferences.of(resource).produce(ReferenceStrength.WEAK);
  }
}
