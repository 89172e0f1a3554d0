// The stage that the deploy test deploys: the platform's own, with stand-ins for what the emulator lacks.
// Decision D101.
import { App, ArnFormat, Aspects, CfnParameter, CfnResource, SecretValue, Stack } from 'aws-cdk-lib';
import type { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IConstruct } from 'constructs';
import { ServiceStage } from '../../lib/service-stage.ts';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { completeDev } from '../support/complete-dev.ts';
import { changedRetentionDays } from './emulated-account.ts';
import { databaseHost, masterCredentials } from './postgres-proxy.ts';

/** The emulator refuses stacks with resources of these types. A resource that does nothing takes the place of each. */
const lackingTypes: ReadonlySet<string> = new Set([
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::EC2::EIP',
  'AWS::EC2::FlowLog',
  'AWS::EC2::NatGateway',
  'AWS::EC2::SecurityGroupIngress',
  'AWS::ECS::CapacityProvider',
  'AWS::ECS::ClusterCapacityProviderAssociations',
  'AWS::RDS::DBProxyTargetGroup',
  'AWS::WAFv2::WebACLAssociation',
  // The emulator does not refuse it, but its function needs an SDK for EC2 that only Lambda brings along.
  'Custom::VpcRestrictDefaultSG',
  // Nor does it refuse this one. Its function needs the SDK for Python and the CLI, which a layer of AWS brings along.
  'Custom::CDKBucketDeployment',
]);
/** The emulator also refuses alarms of computed figures, and with them this stack, which shows all alarms. */
const lackingStack = 'Monitoring';

/** What the second deployment changes, besides every function: settings of the API, the database and all logs. */
const changedSettings: Partial<StageSettings> = {
  logRetentionDays: changedRetentionDays,
  apiRequestsPerSecond: 77,
  databaseBackupDays: 3,
};
const changedDescription = ' (changed)';

const app = new App();
const isChanged = app.node.tryGetContext('changed') === 'true';
const stage = new ServiceStage(app, 'emulated', {
  settings: { ...completeDev, ...(isChanged && changedSettings) },
  // Nobody pulls the image, since no task runs.
  image: new PublisherImage(`sha256:${'0'.repeat(64)}`),
});
stage.node.tryRemoveChild(lackingStack);
connectToPostgres(stage.node.findChild('Database'));
Aspects.of(stage).add({ visit: standIn });

function standIn(node: IConstruct): void {
  if (CfnResource.isCfnResource(node) && lackingTypes.has(node.cfnResourceType)) {
    node.addOverride('Type', 'AWS::CloudFormation::WaitConditionHandle');
    node.addDeletionOverride('Properties');
  }
  // Under these names AWS publishes the newest machine image. The emulator has none, and nobody else may set one.
  if (node instanceof CfnParameter && String(node.default).startsWith('/aws/service/')) {
    node.type = 'AWS::EC2::Image::Id';
    node.default = 'ami-00000000000000000';
  }
  if (isChanged && node instanceof CfnFunction && node.description) node.description += changedDescription;
}

/** Lets functions use the test's Postgres: the emulated RDS serves no SQL, manages no password and has no proxy. */
function connectToPostgres(database: IConstruct): void {
  const proxy = database.node.findChild('Proxy').node.defaultChild as CfnResource;
  proxy.addOverride('Type', 'Custom::DBProxyStandIn');
  proxy.addPropertyOverride('ServiceToken', attributesStandIn(database).functionArn);
  const name = { service: 'rds', resource: 'db-proxy', resourceName: 'prx-0' };
  const proxyArn = Stack.of(proxy).formatArn({ ...name, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  proxy.addPropertyOverride('Attributes', { Endpoint: databaseHost, DBProxyArn: proxyArn });

  const username = SecretValue.unsafePlainText(masterCredentials.username);
  const password = SecretValue.unsafePlainText(masterCredentials.password);
  const master = new Secret(database, 'MasterStandIn', { secretObjectValue: { username, password } });
  const migration = database.node.findChild('Migration');
  const migrationFunction = migration.node.defaultChild as CfnFunction;
  migrationFunction.addPropertyOverride('Environment.Variables.DATABASE_HOST', databaseHost);
  migrationFunction.addPropertyOverride('Environment.Variables.DATABASE_SECRET_ARN', master.secretArn);
  // The emulator sets this variable itself: it says which certificates are trusted here.
  migrationFunction.addPropertyDeletionOverride('Environment.Variables.NODE_EXTRA_CA_CERTS');
  const policy = migration.node.findChild('ServiceRole').node.findChild('DefaultPolicy').node.defaultChild as CfnPolicy;
  const { Statement: statements }: { Statement: unknown[] } = Stack.of(policy).resolve(policy.policyDocument);
  const index = statements.findIndex((statement) => JSON.stringify(statement).includes('MasterUserSecret'));
  policy.addPropertyOverride(`PolicyDocument.Statement.${index}.Resource`, master.secretArn);
}

/** The function behind custom resources whose attributes are those that they are given. */
function attributesStandIn(scope: IConstruct): LambdaFunction {
  return new LambdaFunction(scope, 'AttributesStandIn', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(`
      exports.handler = async ({ ResponseURL, StackId, RequestId, LogicalResourceId, ResourceProperties }) => {
        const answer = {
          Status: 'SUCCESS',
          PhysicalResourceId: LogicalResourceId,
          StackId,
          RequestId,
          LogicalResourceId,
          Data: ResourceProperties.Attributes,
        };
        await fetch(ResponseURL, { method: 'PUT', body: JSON.stringify(answer) });
      };`),
  });
}
