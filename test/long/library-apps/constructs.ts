// An app of a library user: the standalone constructs, in a stack with a VPC and an API of its own.
import { App, Duration, Stack } from 'aws-cdk-lib';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Port, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Agents } from 'loop-streaming-platform/agents';
import { CommandQueues } from 'loop-streaming-platform/command-queues';
import { DeadLetteredQueue } from 'loop-streaming-platform/dead-lettered-queue';
import { OriginGuard } from 'loop-streaming-platform/origin-guard';
import { ServiceFunction } from 'loop-streaming-platform/service-function';
import type { TaskAccess } from 'loop-streaming-platform/task-surroundings';

class OwnStack extends Stack {
  override get availabilityZones(): string[] {
    return ['eu-central-1a', 'eu-central-1b'];
  }
}

const stack = new OwnStack(new App(), 'Own', { env: { account: '123456789012', region: 'eu-central-1' } });
const vpc = new Vpc(stack, 'Vpc');
const publishers = new SecurityGroup(stack, 'Publishers', { vpc });
publishers.addIngressRule(publishers, Port.tcp(9750));
const databaseClients = new SecurityGroup(stack, 'DatabaseClients', { vpc });
const sealingKey = stack.formatArn({ service: 'kms', resource: 'key', resourceName: 'of-another-stack' });
const access: TaskAccess = {
  environmentFor: () => ({
    DATABASE_HOST: 'database.example.com',
    DATABASE_USER: 'service',
    DATABASE_NAME: 'platform',
    DATABASE_REGION: 'us-east-1',
    QUEUE_URLS: '{}',
    UPLOADS_BUCKET: 'uploads.example.com',
    SEALING_KEY_ARN: sealingKey,
    ALLOW_PRIVATE_ADDRESSES: 'false',
    LEGACY_RTMP_URL: '',
    LIMIT_FACTOR: '1',
  }),
  grantTo: (role) =>
    void role.addToPrincipalPolicy(new PolicyStatement({ actions: ['kms:Decrypt'], resources: [sealingKey] })),
};
new Agents(stack, 'Agents', {
  manifestAgentsMax: 3,
  network: { vpc, publishers, databaseClients },
  access,
  queues: new CommandQueues(stack, 'Commands'),
});

const orders = new DeadLetteredQueue(stack, 'Orders', { visibilityTimeout: Duration.minutes(1), maxReceives: 3 });
new ServiceFunction(stack, 'TakeOrders', {
  description: 'Takes orders',
  entry: Code.fromInline('exports.handler = async () => {};'),
  variables: ['ORDERS'],
  environment: { ORDERS: orders.queueUrl },
  timeout: Duration.seconds(10),
  logRetentionDays: RetentionDays.ONE_WEEK,
  vpc,
  securityGroup: databaseClients,
});

const api = new RestApi(stack, 'Api');
api.root.addMethod('GET');
new OriginGuard(stack, 'OriginGuard', { gatewayStage: api.deploymentStage });
