// The stage that the deploy test deploys: the platform's own, with stand-ins for features that the emulator lacks.
// A smaller stage of its own would have to be kept like the real one by hand.
import { App, ArnFormat, Aspects, CfnOutput, CfnParameter, CfnResource, SecretValue, Stack } from 'aws-cdk-lib';
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

/** Types of resources that the emulator refuses in stacks. A resource without effect replaces each. */
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
  // The emulator accepts both, but their functions need SDKs that only Lambda provides.
  'Custom::LogRetention',
  'Custom::VpcRestrictDefaultSG',
  // The emulator accepts it, but its function needs the Python SDK and the CLI, which a layer of AWS provides.
  'Custom::CDKBucketDeployment',
]);
/** Records with attributes that the emulator's SES does not have. */
const recordsOfDkim = /\/DkimDnsToken\d$/;
/** The stack with all alarms, omitted because the emulator refuses alarms of computed figures. */
const lackingStack = 'Monitoring';

/** Changes of the second deployment, in addition to every function: settings of API, database and all logs. */
const changedSettings: Partial<StageSettings> = {
  logRetentionDays: changedRetentionDays,
  apiRequestsPerSecond: 77,
  databaseBackupDays: 3,
};
const changedDescription = ' (changed)';

const app = new App();
const isChanged = app.node.tryGetContext('changed') === 'true';
const chosenSettings: Partial<StageSettings> = JSON.parse(app.node.tryGetContext('settings') ?? '{}');
const settings: StageSettings = { ...completeDev, ...(isChanged && changedSettings), ...chosenSettings };
const stage = new ServiceStage(app, 'emulated', {
  ...settings,
  // The image is never pulled, because no task runs.
  image: PublisherImage.fromDigest(`sha256:${'0'.repeat(64)}`),
});
stage.node.tryRemoveChild(lackingStack);
connectToPostgres(stage.node.findChild('Database'));
Aspects.of(stage).add({ visit: standIn });

function standIn(node: IConstruct): void {
  if (
    CfnResource.isCfnResource(node) &&
    (lackingTypes.has(node.cfnResourceType) || recordsOfDkim.test(node.node.path))
  ) {
    node.addOverride('Type', 'AWS::CloudFormation::WaitConditionHandle');
    node.addDeletionOverride('Properties');
  }
  // AWS publishes the newest machine image under these names. The emulator has none, and does not allow setting them.
  if (node instanceof CfnParameter && String(node.default).startsWith('/aws/service/')) {
    node.type = 'AWS::EC2::Image::Id';
    node.default = 'ami-00000000000000000';
  }
  if (node instanceof CfnFunction) {
    // The emulator sets this variable itself, with the certificates that are trusted here.
    node.addPropertyDeletionOverride('Environment.Variables.NODE_EXTRA_CA_CERTS');
    // A function has to differ where the variable differs, because Lambda makes no version of an unchanged one.
    node.addPropertyOverride('Environment.Variables.HAS_PROXY', String(settings.databaseProxy));
  }
  if (isChanged && node instanceof CfnFunction && node.description) node.description += changedDescription;
}

/** Lets functions use the test's Postgres: the emulated RDS has no SQL, no managed password and no proxy. */
function connectToPostgres(database: IConstruct): void {
  const proxy = database.node.tryFindChild('Proxy')?.node.defaultChild as CfnResource | undefined;
  if (proxy) standInForProxy(database, proxy);
  nameHostOfInstance(database);

  const username = SecretValue.unsafePlainText(masterCredentials.username);
  const password = SecretValue.unsafePlainText(masterCredentials.password);
  const master = new Secret(database, 'MasterStandIn', { secretObjectValue: { username, password } });
  const migration = database.node.findChild('Migration');
  const migrationFunction = migration.node.defaultChild as CfnFunction;
  migrationFunction.addPropertyOverride('Environment.Variables.DATABASE_HOST', databaseHost);
  migrationFunction.addPropertyOverride('Environment.Variables.DATABASE_SECRET_ARN', master.secretArn);
  const policy = migration.node.findChild('ServiceRole').node.findChild('DefaultPolicy').node.defaultChild as CfnPolicy;
  const { Statement: statements }: { Statement: unknown[] } = Stack.of(policy).resolve(policy.policyDocument);
  const index = statements.findIndex((statement) => JSON.stringify(statement).includes('MasterUserSecret'));
  policy.addPropertyOverride(`PolicyDocument.Statement.${index}.Resource`, master.secretArn);
}

function standInForProxy(database: IConstruct, proxy: CfnResource): void {
  proxy.addOverride('Type', 'Custom::DBProxyStandIn');
  proxy.addPropertyOverride('ServiceToken', attributesStandIn(database).functionArn);
  const name = { service: 'rds', resource: 'db-proxy', resourceName: 'prx-0' };
  const proxyArn = Stack.of(proxy).formatArn({ ...name, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  proxy.addPropertyOverride('Attributes', { Endpoint: databaseHost, DBProxyArn: proxyArn });
}

/** Clients of a stage without a proxy take the instance's address from this export. */
function nameHostOfInstance(database: IConstruct): void {
  const exported = database.node
    .findChild('Exports')
    .node.children.filter(
      (output) =>
        output instanceof CfnOutput && JSON.stringify(Stack.of(output).resolve(output.value)).includes('Address'),
    );
  for (const output of exported) (output as CfnOutput).value = databaseHost;
}

/** The function behind custom resources whose attributes equal their properties. */
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
