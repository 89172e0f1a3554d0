// Postgres behind a connection pool, brought to the code's schema before anything that uses it is deployed.
import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { InstanceType, Port, SecurityGroup, SubnetType } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
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
import { migrateVariables, serviceRole } from '../../lambda/migrate/environment.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { acknowledge, acknowledgeCdkFunction, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface DatabaseStackProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
}

/** The database, who may use it, and the secret that what it holds is sealed with. */
export class DatabaseStack extends Stack {
  readonly instance: DatabaseInstance;
  /** Where clients connect, with TLS and an IAM token instead of a password. */
  readonly proxy: DatabaseProxy;
  readonly databaseName = 'platform';
  /** The role that functions and publishers work as. The migration makes it a member of `rds_iam`; it owns nothing. */
  readonly userName = serviceRole;
  /** The right to connect as that role. Its holders also need the network's `databaseClients` security group. */
  readonly connectAccess: ManagedPolicy;
  /** Wraps the keys that stream keys and signing keys are sealed with. */
  readonly sealingKey: Key;
  /** 64 letters and digits that our own URLs and sessions are signed with. */
  readonly serviceSecret: Secret;

  constructor(scope: Construct, id: string, { settings, network }: DatabaseStackProps) {
    super(scope, id, { terminationProtection: settings.keepData });
    const { vpc } = network;

    this.instance = new DatabaseInstance(this, 'Database', {
      // The major only: RDS picks the minor and keeps it current in the maintenance window.
      engine: DatabaseInstanceEngine.postgres({ version: PostgresEngineVersion.VER_18 }),
      instanceType: new InstanceType(settings.databaseInstanceClass),
      vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      multiAz: settings.databaseMultiAz,
      databaseName: this.databaseName,
      // RDS makes, keeps and rotates the master's password; nobody else ever knows it.
      manageMasterUserPassword: true,
      iamAuthentication: true,
      storageType: StorageType.GP3,
      allocatedStorage: settings.databaseStorageGiB,
      maxAllocatedStorage: settings.databaseMaxStorageGiB,
      storageEncrypted: true,
      // Which statement, and which process on the machine: the first questions when it is slow. Seven days cost nothing.
      enablePerformanceInsights: true,
      monitoringInterval: Duration.minutes(1),
      backupRetention: Duration.days(settings.databaseBackupDays),
      deletionProtection: settings.keepData,
      removalPolicy: settings.keepData ? RemovalPolicy.SNAPSHOT : RemovalPolicy.DESTROY,
    });
    const { instance } = this;
    acknowledge(
      instance,
      'Reached from two security groups only; another port would hide nothing.',
      'AwsSolutions-RDS11',
    );
    acknowledge(
      instance,
      'The policy that AWS made for this purpose: to write the figures of the machine.',
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonRDSEnhancedMonitoringRole]',
    );
    if (!settings.databaseMultiAz) {
      const reason = 'The stage does without a standby, to be cheap.';
      acknowledge(instance, reason, 'AwsSolutions-RDS3');
      acknowledgeForCheckov(instance, reason, 'CKV_AWS_157');
    }
    if (!settings.keepData) acknowledge(instance, 'The stage is made to be destroyed.', 'AwsSolutions-RDS10');

    const proxyRole = new Role(this, 'ProxyRole', { assumedBy: new ServicePrincipal('rds.amazonaws.com') });
    instance.grantConnect(proxyRole, this.userName);
    this.proxy = new DatabaseProxy(this, 'Proxy', {
      proxyTarget: ProxyTarget.fromInstance(instance),
      // IAM from the client to the proxy and from there to the database: no password to keep, none to rotate.
      defaultAuthScheme: DefaultAuthScheme.IAM_AUTH,
      requireTLS: true,
      role: proxyRole,
      vpc,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroups: [new SecurityGroup(this, 'ProxySecurityGroup', { vpc, description: 'RDS Proxy' })],
    });
    this.proxy.connections.allowFrom(network.databaseClients, Port.POSTGRES);
    instance.connections.allowDefaultPortFrom(this.proxy);

    this.connectAccess = new ManagedPolicy(this, 'ConnectAccess');
    this.proxy.grantConnect(this.connectAccess, this.userName);

    this.sealingKey = new Key(this, 'SealingKey', {
      description: 'Wraps the keys that stream keys and signing keys are sealed with. Losing it loses them all.',
      enableKeyRotation: true,
      removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
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

    this.#migrateBeforeDependents(settings, network, instance);
  }

  /** Runs when its code, so a migration, has changed. A failure fails this stack's deployment, and stacks with new code that depend on it wait. */
  #migrateBeforeDependents(settings: StageSettings, { vpc }: NetworkStack, instance: DatabaseInstance): void {
    const securityGroup = new SecurityGroup(this, 'MigrationSecurityGroup', { vpc, description: 'Schema migration' });
    instance.connections.allowDefaultPortFrom(securityGroup);
    const secret = masterSecretOf(instance);
    const timeout = Duration.minutes(15);
    const migration = new ServiceFunction(this, 'Migration', {
      description: 'Brings the database to the schema of the code that is deployed next',
      entry: 'migrate/migrate.lambda.ts',
      folders: { migrations: 'data/migrations' },
      variables: migrateVariables,
      environment: {
        // Directly: as the master, which does not go through the proxy.
        DATABASE_HOST: instance.dbInstanceEndpointAddress,
        DATABASE_NAME: this.databaseName,
        DATABASE_SECRET_ARN: secret.secretArn,
        SEALING_KEY_ARN: this.sealingKey.keyArn,
      },
      timeout,
      logRetentionDays: settings.logRetentionDays,
      vpc,
      securityGroup,
    });
    // RDS' own certificates are not among those Node trusts; Lambda ships them but, since Node 20, does not load them.
    migration.addEnvironment('NODE_EXTRA_CA_CERTS', '/var/runtime/ca-cert.pem');
    secret.grantRead(migration);
    // It makes the first data key; everybody else only unwraps.
    this.sealingKey.grant(migration, 'kms:Encrypt', 'kms:Decrypt');
    new CfnOutput(this, 'MigrationFunction', {
      value: migration.functionName,
      description: 'Invoked by hand to rotate the signing key: lib/README.md',
    });
    new Trigger(this, 'Migrate', { handler: migration, timeout, executeAfter: [instance] });
    acknowledgeCdkFunction(
      this.node.findChild('AWSCDK.TriggerCustomResourceProviderCustomResourceProvider').node.findChild('Handler'),
    );
  }
}

function masterSecretOf(instance: DatabaseInstance): ISecret {
  if (!instance.secret) throw new Error('RDS manages the master password, so the instance has a secret');
  return instance.secret;
}
