// Postgres behind a connection pool. Its schema is migrated before any code that uses it is deployed.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CfnOutput, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { InstanceType, Port, SecurityGroup, SubnetType } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import {
  type CfnDBInstance,
  DatabaseInstance,
  DatabaseInstanceEngine,
  DatabaseProxy,
  DefaultAuthScheme,
  PostgresEngineVersion,
  ProxyTarget,
  StorageType,
} from 'aws-cdk-lib/aws-rds';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Trigger } from 'aws-cdk-lib/triggers';
import type { Construct } from 'constructs';
import { lambdaFolder } from '#artifacts';
import { liveIngestRole, migrateVariables, serviceRole } from '../../lambda/migrate/environment.ts';
import { keyContext } from '../../lambda/domain/shared/sealed-places.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { acknowledge, acknowledgeCdkFunction, acknowledgeForCheckov, policyOfAWS } from '../shared/acknowledge.ts';
import type { RecoveryStack } from '../recovery/recovery-stack.ts';
import { authoritiesFile, authoritiesVariable } from '../shared/database-authorities.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import { postgresParameters } from './postgres-parameters.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface DatabaseStackProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  /** The target of backup copies; null: backups are not copied. */
  readonly recovery: RecoveryStack | null;
}

const instanceOutput = 'InstanceIdentifier';

/** The database, the rights to use it, and the keys for sealing and signing. */
export class DatabaseStack extends Stack {
  readonly instance: DatabaseInstance;
  /** Null: each client has its own connections. */
  readonly proxy: DatabaseProxy | null;
  /** The address for clients: the proxy or the instance. They connect with TLS, and with an IAM token as password. */
  readonly endpoint: string;
  readonly databaseName = 'platform';
  /** The database role of functions and agents, which owns nothing. The migration makes it a member of `rds_iam`. */
  readonly userName = serviceRole;
  /** The right to connect as that role. Clients also need the security group `databaseClients` of the network. */
  readonly connectAccess: ManagedPolicy;
  /** The right to connect as the role of the live ingest, and as no other. Null for a stage without a live ingest. */
  readonly contributeAccess: ManagedPolicy | null;
  /** The key that wraps the data keys which seal stream keys and signing keys. */
  readonly sealingKey: IKey;
  /** The right to unwrap these data keys, and so to open and to seal secrets. */
  readonly unsealAccess: ManagedPolicy;
  /** The right to open and to seal the credentials of sources only, which have their own data key. */
  readonly unsealSourcesAccess: ManagedPolicy;
  /** 64 letters and digits. The platform signs its own URLs, cursors and sessions with it. */
  readonly serviceSecret: Secret;
  /** The right to read that secret, and so to sign as the platform. */
  readonly signAccess: ManagedPolicy;

  constructor(scope: Construct, id: string, { settings, network, recovery }: DatabaseStackProps) {
    super(scope, id, { terminationProtection: settings.keepData });
    const { vpc } = network;
    const major = String(settings.databaseMajorVersion);

    this.instance = new DatabaseInstance(this, 'Database', {
      engine: DatabaseInstanceEngine.postgres({ version: PostgresEngineVersion.of(major, major) }),
      allowMajorVersionUpgrade: settings.databaseMajorUpgrade,
      parameters: { ...postgresParameters(settings.databaseInstanceClass) },
      cloudwatchLogsExports: ['postgresql'],
      cloudwatchLogsRetention: settings.logRetentionDays,
      preferredMaintenanceWindow: settings.databaseMaintenanceWindow,
      preferredBackupWindow: settings.databaseBackupWindow,
      instanceType: new InstanceType(settings.databaseInstanceClass),
      vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      multiAz: settings.databaseMultiAz,
      databaseName: this.databaseName,
      // RDS creates, keeps and rotates the password of the master user. It is known to RDS only.
      manageMasterUserPassword: true,
      iamAuthentication: true,
      storageType: StorageType.GP3,
      allocatedStorage: settings.databaseStorageGiB,
      maxAllocatedStorage: settings.databaseMaxStorageGiB,
      storageEncrypted: true,
      // A slow database raises two questions first: which statement, and which process of the machine? This setting
      // answers the first, for seven days free of charge. The interval below is for the second.
      enablePerformanceInsights: true,
      monitoringInterval: Duration.minutes(1),
      backupRetention: Duration.days(settings.databaseBackupDays),
      deletionProtection: settings.keepData,
      removalPolicy: settings.keepData ? RemovalPolicy.SNAPSHOT : RemovalPolicy.DESTROY,
    });
    const { instance } = this;
    if (recovery) copyBackups(instance, recovery, settings.databaseBackupDays);
    new CfnOutput(this, instanceOutput, { value: instance.instanceIdentifier });
    this.#acknowledgeInstance(instance, settings);

    const proxyRole = settings.databaseProxy
      ? new Role(this, 'ProxyRole', { assumedBy: new ServicePrincipal('rds') })
      : null;
    this.proxy = proxyRole && this.#proxyOf(settings, instance, network, proxyRole);
    this.endpoint = this.proxy?.endpoint ?? instance.dbInstanceEndpointAddress;
    // Exported beside a proxy too, so that a stage may get one, or lose it, in one deployment.
    this.exportValue(instance.dbInstanceEndpointAddress);
    this.connectAccess = new ManagedPolicy(this, 'ConnectAccess');
    this.contributeAccess = settings.liveIngest && new ManagedPolicy(this, 'ContributeAccess');
    // While a deployment turns the proxy on or off, some clients use it and others the instance.
    for (const reached of this.proxy ? [this.proxy, instance] : [instance]) {
      reached.connections.allowFrom(network.databaseClients, Port.POSTGRES);
      reached.grantConnect(this.connectAccess, this.userName);
      if (this.contributeAccess) reached.grantConnect(this.contributeAccess, liveIngestRole);
    }

    this.sealingKey =
      settings.sealingKeyArn === null
        ? new Key(this, 'SealingKey', {
            description: 'Wraps the data keys that seal stream keys and signing keys. Without it they are all lost.',
            enableKeyRotation: true,
            removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
          })
        : Key.fromKeyArn(this, 'SealingKey', settings.sealingKeyArn);
    // The CDK's grants would allow more: to unwrap keys of other purposes, and to describe the secret.
    this.unsealAccess = new ManagedPolicy(this, 'UnsealAccess', {
      statements: [this.#onSealingKey('data key', 'kms:Decrypt')],
    });
    this.unsealSourcesAccess = new ManagedPolicy(this, 'UnsealSourcesAccess', {
      statements: [this.#onSealingKey('sources', 'kms:Decrypt')],
    });
    this.serviceSecret = new Secret(this, 'ServiceSecret', {
      description: 'Signs our own URLs, cursors and sessions.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    acknowledge(
      this.serviceSecret,
      'Rotating it would sign everybody out and break every cursor and URL that was handed out.',
      'AwsSolutions-SMG4',
    );
    acknowledgeForCheckov(
      this.serviceSecret,
      'Encrypted with AWS’ own key: one of ours would be one more way to lose it.',
      'CKV_AWS_149',
    );

    this.signAccess = new ManagedPolicy(this, 'SignAccess', {
      statements: [
        new PolicyStatement({
          actions: ['secretsmanager:GetSecretValue'],
          resources: [this.serviceSecret.secretArn],
        }),
      ],
    });

    this.#migrateBeforeDependents(settings, network, instance, proxyRole);
  }

  /** Names the instance for a stack of another region. */
  instanceIDIn(scope: Stack): string {
    scope.addStackDependency(this);
    return Fn.getStackOutput(this.stackName, instanceOutput, this.region);
  }

  /** Allows calls of KMS for data keys of one purpose only, by their encryption context. */
  #onSealingKey(purpose: Parameters<typeof keyContext>[0], ...actions: string[]): PolicyStatement {
    const context = Object.entries(keyContext(purpose)).map(([name, value]) => [
      `kms:EncryptionContext:${name}`,
      value,
    ]);
    const conditions = { StringEquals: Object.fromEntries(context) };
    return new PolicyStatement({ actions, resources: [this.sealingKey.keyArn], conditions });
  }

  #acknowledgeInstance(instance: DatabaseInstance, settings: StageSettings): void {
    acknowledge(
      instance,
      'Reached from two security groups only; another port would hide nothing.',
      'AwsSolutions-RDS11',
    );
    acknowledge(
      instance,
      'The policy that AWS made for this purpose: to write the figures of the machine.',
      policyOfAWS('AmazonRDSEnhancedMonitoringRole'),
    );
    const retention = this.node.children.find(({ node }) => node.id.startsWith('LogRetention'))!;
    acknowledge(
      retention,
      'The CDK’s own function: it sets the days for which Postgres’ log is kept.',
      policyOfAWS('AWSLambdaBasicExecutionRole'),
      'AwsSolutions-IAM5[Resource::*]',
    );
    acknowledgeCdkFunction(retention.node.defaultChild ?? retention);
    acknowledgeForCheckov(
      retention.node.findChild('ServiceRole').node.findChild('DefaultPolicy'),
      'The CDK’s own function is for the logs of any name.',
      'CKV_AWS_111',
    );
    if (!settings.databaseMultiAz) {
      const reason = 'The stage does without a standby, to be cheap.';
      acknowledge(instance, reason, 'AwsSolutions-RDS3');
      acknowledgeForCheckov(instance, reason, 'CKV_AWS_157');
    }
    if (!settings.keepData) acknowledge(instance, 'The stage is made to be destroyed.', 'AwsSolutions-RDS10');
  }

  #proxyOf(
    { availabilityZones, liveIngest }: StageSettings,
    instance: DatabaseInstance,
    { vpc }: NetworkStack,
    role: Role,
  ): DatabaseProxy {
    for (const user of liveIngest ? [this.userName, liveIngestRole] : [this.userName])
      instance.grantConnect(role, user);
    const proxy = new DatabaseProxy(this, 'Proxy', {
      proxyTarget: ProxyTarget.fromInstance(instance),
      // IAM authorizes both connections, from the client to the proxy and from the proxy to the database: there is no
      // password to keep or to rotate.
      defaultAuthScheme: DefaultAuthScheme.IAM_AUTH,
      requireTLS: true,
      role,
      vpc,
      vpcSubnets: {
        subnetType: SubnetType.PRIVATE_ISOLATED,
        // A proxy cannot be moved, so it does without a zone that is added. Clients of all zones reach it.
        availabilityZones: [...availabilityZones],
      },
      securityGroups: [new SecurityGroup(this, 'ProxySecurityGroup', { vpc, description: 'RDS Proxy' })],
    });
    instance.connections.allowDefaultPortFrom(proxy);
    return proxy;
  }

  /**
   * Adds the function Migration, and calls it in every deployment that changes its code; each new migration does. If it
   * fails, the deployment of this stack fails, and the stacks that depend on this one keep their previous code.
   */
  #migrateBeforeDependents(
    settings: StageSettings,
    { vpc }: NetworkStack,
    instance: DatabaseInstance,
    proxyRole: Role | null,
  ): void {
    const securityGroup = new SecurityGroup(this, 'MigrationSecurityGroup', { vpc, description: 'Schema migration' });
    instance.connections.allowDefaultPortFrom(securityGroup);
    const secret = masterSecretOf(instance);
    const timeout = Duration.minutes(15);
    const migration = new ServiceFunction(this, 'Migration', {
      description: 'Migrates the database to the schema of the code that is deployed next',
      entry: 'migrate/migrate.lambda.ts',
      folders: { migrations: 'data/migrations' },
      variables: migrateVariables,
      environment: {
        // The migration connects as the master user, which the proxy does not accept.
        DATABASE_HOST: instance.dbInstanceEndpointAddress,
        DATABASE_NAME: this.databaseName,
        DATABASE_SECRET_ARN: secret.secretArn,
        SEALING_KEY_ARN: this.sealingKey.keyArn,
      },
      timeout,
      logRetentionDays: settings.logRetentionDays,
      traced: settings.tracing,
      vpc,
      securityGroup,
    });
    migration.addEnvironment(authoritiesVariable, authoritiesFile.function);
    migration.addToRolePolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
    );
    // The migration creates the first key for each purpose, so it has to wrap them. Other clients only unwrap them.
    for (const purpose of ['data key', 'sources'] as const)
      migration.addToRolePolicy(this.#onSealingKey(purpose, 'kms:Encrypt', 'kms:Decrypt'));
    new CfnOutput(this, 'MigrationFunction', {
      value: migration.functionName,
      description: 'Invoked by hand to rotate the signing key: lib/README.md',
    });
    new CfnOutput(this, 'Schema', { value: newestMigration(), description: 'The number of the newest migration' });
    const migrate = new Trigger(this, 'Migrate', { handler: migration, timeout, executeAfter: [instance] });
    // The proxy refuses an instance that is still being configured, for minutes after it has become available. The
    // migration proves that the instance accepts connections, and creates the role that the proxy signs in as.
    if (this.proxy && proxyRole) this.proxy.node.findChild('ProxyTargetGroup').node.addDependency(migrate, proxyRole);
    acknowledgeCdkFunction(
      this.node.findChild('AWSCDK.TriggerCustomResourceProviderCustomResourceProvider').node.findChild('Handler'),
    );
  }
}

/** A deployment reads it from the template that stands: code may come before its schema only if that is no newer. */
function newestMigration(): string {
  const [newest = ''] = readdirSync(join(lambdaFolder, 'data/migrations')).toSorted().toReversed();
  return newest.slice(0, 4);
}

/** Has RDS copy snapshots and the transaction log, so that any second of these days can be restored there. */
function copyBackups(instance: DatabaseInstance, { region, key }: RecoveryStack, days: number): void {
  const resource = instance.node.defaultChild as CfnDBInstance;
  resource.automaticBackupReplicationRegion = region;
  resource.automaticBackupReplicationKmsKeyId = key.keyArn;
  resource.automaticBackupReplicationRetentionPeriod = days;
}

function masterSecretOf(instance: DatabaseInstance): ISecret {
  if (!instance.secret) throw new Error('RDS manages the master password, so the instance has a secret');
  return instance.secret;
}
