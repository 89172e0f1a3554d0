// The stage that the deploy test deploys: the platform's own, with stand-ins for what the emulator lacks.
import { App, ArnFormat, Aspects, CfnParameter, CfnResource, SecretValue, Stack } from 'aws-cdk-lib';
import type { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IConstruct } from 'constructs';
import { ServiceStage } from '../../lib/service-stage.ts';
import { PublisherImage } from '../../lib/shared/publisher-image.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { changedRetentionDays } from './emulated-account.ts';
import { databaseHost, masterCredentials } from './postgres-proxy.ts';

/** The emulator refuses stacks that have them. In their place stands a resource that does nothing. */
const lackingTypes: ReadonlySet<string> = new Set([
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  'AWS::EC2::EIP',
  'AWS::EC2::FlowLog',
  'AWS::EC2::NatGateway',
  'AWS::EC2::SecurityGroupIngress',
  'AWS::ECS::CapacityProvider',
  'AWS::ECS::ClusterCapacityProviderAssociations',
  'AWS::RDS::DBProxyTargetGroup',
  'AWS::WAFv2::WebACLAssociation',
  // Not refused, but its function calls EC2 by an SDK that only Lambda brings along.
  'Custom::VpcRestrictDefaultSG',
  // Not refused either; its function wants Python's SDK and the command line, which a layer of AWS brings along.
  'Custom::CDKBucketDeployment',
]);
/** Alarms of figures that are computed are refused as well, and the page shows them all. */
const lackingStack = 'Monitoring';

/** What the second deployment changes: of the API, the database, all logs, and every function, as a release does. */
const changedSettings: Partial<StageSettings> = {
  logRetentionDays: changedRetentionDays,
  apiRequestsPerSecond: 77,
  databaseBackupDays: 3,
};
const changedDescription = ' (changed)';

const app = new App();
const isChanged = app.node.tryGetContext('changed') === 'true';
const stage = new ServiceStage(app, 'emulated', {
  settings: { ...stages.dev, ...(isChanged && changedSettings) },
  // Never pulled: no task runs.
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
  // AWS publishes the machine image of the day there; the emulator does not, and nobody else may.
  if (node instanceof CfnParameter && String(node.default).startsWith('/aws/service/')) {
    node.type = 'AWS::EC2::Image::Id';
    node.default = 'ami-00000000000000000';
  }
  if (isChanged && node instanceof CfnFunction && node.description) node.description += changedDescription;
}

/** In front of the test's Postgres instead of RDS, which here serves no SQL, manages no password and has no proxy. */
function connectToPostgres(database: IConstruct): void {
  const proxy = database.node.findChild('Proxy').node.defaultChild as CfnResource;
  proxy.addOverride('Type', 'Custom::DBProxyStandIn');
  proxy.addPropertyOverride('ServiceToken', attributesStandIn(database).functionArn);
  const proxyArn = Stack.of(proxy).formatArn({
    service: 'rds',
    resource: 'db-proxy',
    resourceName: 'prx-0',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  proxy.addPropertyOverride('Attributes', { Endpoint: databaseHost, DBProxyArn: proxyArn });

  const username = SecretValue.unsafePlainText(masterCredentials.username);
  const password = SecretValue.unsafePlainText(masterCredentials.password);
  const master = new Secret(database, 'MasterStandIn', { secretObjectValue: { username, password } });
  const migration = database.node.findChild('Migration');
  const migrationFunction = migration.node.defaultChild as CfnFunction;
  migrationFunction.addPropertyOverride('Environment.Variables.DATABASE_HOST', databaseHost);
  migrationFunction.addPropertyOverride('Environment.Variables.DATABASE_SECRET_ARN', master.secretArn);
  // The emulator's own says which certificates are trusted here.
  migrationFunction.addPropertyDeletionOverride('Environment.Variables.NODE_EXTRA_CA_CERTS');
  const policy = migration.node.findChild('ServiceRole').node.findChild('DefaultPolicy').node.defaultChild as CfnPolicy;
  const { Statement: statements }: { Statement: unknown[] } = Stack.of(policy).resolve(policy.policyDocument);
  const index = statements.findIndex((statement) => JSON.stringify(statement).includes('MasterUserSecret'));
  policy.addPropertyOverride(`PolicyDocument.Statement.${index}.Resource`, master.secretArn);
}

/** The function behind custom resources that have the attributes they are given. */
function attributesStandIn(scope: IConstruct): LambdaFunction {
  return new LambdaFunction(scope, 'AttributesStandIn', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(`
      exports.handler = async ({ ResponseURL, StackId, RequestId, LogicalResourceId, ResourceProperties }) => {
        const answer = { Status: 'SUCCESS', PhysicalResourceId: LogicalResourceId, StackId, RequestId, LogicalResourceId, Data: ResourceProperties.Attributes };
        await fetch(ResponseURL, { method: 'PUT', body: JSON.stringify(answer) });
      };`),
  });
}
