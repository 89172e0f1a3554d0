// The public API: a function for each surface, behind an API Gateway that only routes requests.
// The function that calls managed platforms is here too, because it needs the same secret.
import { Duration, RemovalPolicy, SecretValue, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { IdentityStack } from '../identity/identity-stack.ts';
import { apiVariables, paymentVariables } from '../../lambda/api/environment.ts';
import { platformsVariables } from '../../lambda/platforms/environment.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { acknowledge, acknowledgeForCheckov, policyOfAWS } from '../shared/acknowledge.ts';
import type { PlatformAccess } from '../shared/platform-access.ts';
import type { CommandQueues } from '../publishing/command-queues.ts';
import { FunctionRelease } from '../shared/function-release.ts';
import { consumption } from '../shared/function-calls.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import type { StageSettings } from '../stage-settings.ts';
import { addGatewayProblems } from './gateway-problems.ts';
import { OriginGuard } from './origin-guard.ts';

/**
 * The name of the stage in API Gateway. Paths at API Gateway's own address begin with this name. The paths that
 * handlers receive do not.
 */
const gatewayStage = 'live';

export interface ApiStackProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly access: PlatformAccess;
  readonly queues: CommandQueues;
  readonly identity: IdentityStack;
}

export class ApiStack extends Stack {
  /** The host name of the API at API Gateway. Every path at this host begins with `basePath`. */
  readonly domainName: string;
  readonly basePath = `/${gatewayStage}`;
  /** Lets in only requests with its secret. */
  readonly guard: OriginGuard;
  readonly restApi: RestApi;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id);
    const { settings, network, access, queues, identity } = props;
    const paymentProviders = this.#paymentProviders(settings);
    const surface = {
      variables: [...apiVariables, ...paymentVariables],
      environment: { ...access.environmentFor(this, 'api'), PAYMENT_PROVIDERS_SECRET_ARN: paymentProviders.secretArn },
      // API Gateway waits no longer for an answer.
      timeout: Duration.seconds(29),
      logRetentionDays: settings.logRetentionDays,
      traced: settings.tracing,
      vpc: network.vpc,
      securityGroup: network.databaseClients,
    };
    const rest = new ServiceFunction(this, 'Rest', {
      ...surface,
      description: 'The REST surface of the platform',
      entry: 'api/api.lambda.ts',
    });
    const mcp = new ServiceFunction(this, 'Mcp', {
      ...surface,
      description: 'The MCP surface of the platform',
      entry: 'api/mcp.lambda.ts',
    });
    const graphql = new ServiceFunction(this, 'Graphql', {
      ...surface,
      description: 'The GraphQL surface of the platform',
      entry: 'api/graphql.lambda.ts',
    });
    // Each call handles at most ten connections, in turns of ten seconds.
    const platforms = new ServiceFunction(this, 'Platforms', {
      ...surface,
      description: 'Keeps broadcasts on managed platforms in step with streams, and reads their state',
      entry: 'platforms/platforms.lambda.ts',
      variables: platformsVariables,
      environment: { ...surface.environment, ...access.environmentFor(this, 'platforms') },
      timeout: Duration.seconds(60),
    });
    platforms.addEventSource(new SqsEventSource(queues.get('platforms'), consumption(settings)));
    access.grantTo(platforms.role, 'platforms');
    for (const { role } of [rest, mcp, graphql]) access.grantTo(role, 'api');
    for (const { role } of [rest, mcp, graphql, platforms])
      role.addToPrincipalPolicy(
        new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [paymentProviders.secretArn] }),
      );

    const api = new RestApi(this, 'Api', {
      // API Gateway's metrics identify an API by name, and stages may share an account.
      restApiName: this.stackName,
      endpointTypes: [EndpointType.REGIONAL],
      // To write logs, API Gateway needs a role in the account's settings. The role stays when the stack is deleted:
      // other APIs of the account use it too.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: gatewayStage,
        tracingEnabled: settings.tracing,
        throttlingRateLimit: settings.apiRequestsPerSecond,
        throttlingBurstLimit: settings.apiBurstRequests,
        accessLogDestination: new LogGroupLogDestination(
          new ServiceLogs(this, 'AccessLogs', settings.logRetentionDays),
        ),
        accessLogFormat: accessLogFormat(),
      },
    });
    const toAlias = ({ alias }: FunctionRelease) => new LambdaIntegration(alias, { allowTestInvoke: false });
    const to = (fn: ServiceFunction) => toAlias(new FunctionRelease(this, `${fn.node.id}Release`, fn));
    const toRest = to(rest);
    const toAll = (resource: IResource, to: LambdaIntegration) =>
      resource.addProxy({ defaultIntegration: to }).anyMethod!;
    const methods = [api.root.addMethod('ANY', toRest), toAll(api.root, toRest)];
    const toIdentity = toAlias(identity.release);
    for (const path of ['api/auth', '.well-known']) methods.push(toAll(api.root.resourceForPath(path), toIdentity));
    methods.push(api.root.resourceForPath('mcp').addMethod('ANY', to(mcp)));
    methods.push(api.root.resourceForPath('graphql').addMethod('ANY', to(graphql)));
    for (const method of methods) {
      acknowledgeForCheckov(
        method,
        'Callers are identified by the function; strangers are refused by the web ACL (`OriginGuard`).',
        'CKV_AWS_59',
      );
    }
    addGatewayProblems(api);
    this.restApi = api;
    this.domainName = `${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}`;
    this.guard = new OriginGuard(this, 'OriginGuard', { gatewayStage: api.deploymentStage });
    this.#acknowledge(api, settings);
  }

  #paymentProviders(settings: StageSettings): Secret {
    const paymentProviders = new Secret(this, 'PaymentProviders', {
      description: 'Keys of the payment providers: lib/README.md, “Take payments”',
      // An object without keys: the stage offers no payments until an operator adds keys.
      secretStringValue: SecretValue.unsafePlainText('{}'),
      removalPolicy: settings.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    acknowledge(paymentProviders, 'Keys of others: the providers change them, not we.', 'AwsSolutions-SMG4');
    acknowledgeForCheckov(
      paymentProviders,
      'Encrypted with AWS’ own key: the providers can make others.',
      'CKV_AWS_149',
    );
    return paymentProviders;
  }

  #acknowledge(api: RestApi, { tracing }: StageSettings): void {
    acknowledgeForCheckov(api.deploymentStage, 'Answers are each caller’s own.', 'CKV_AWS_120');
    if (!tracing) acknowledgeForCheckov(api.deploymentStage, 'The stage keeps no traces, to be cheap.', 'CKV_AWS_73');
    acknowledge(
      api,
      'Callers are identified by the function, which knows API keys and ES256 tokens; Cognito has no part in it.',
      'AwsSolutions-APIG4',
      'AwsSolutions-COG4',
    );
    acknowledge(
      api,
      'Requests are checked by the function against the catalogue, so that a new operation changes no template.',
      'AwsSolutions-APIG2',
    );
    acknowledge(
      api,
      'Access logs and the function’s own logs say more; execution logs would hold bodies and API keys.',
      'AwsSolutions-APIG6',
    );
    acknowledge(
      api,
      'The policy that AWS made for this purpose: to write API Gateway’s logs.',
      policyOfAWS('AmazonAPIGatewayPushToCloudWatchLogs'),
    );
  }
}

/**
 * One line of JSON for each request. Query strings and headers may contain signatures and keys, so they are left out.
 * The only secret in a path is the token of a guide link (D145 in lambda/README.md). The source address is always one
 * of CloudFront: the callers' addresses are in the logs of the distribution.
 */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: AccessLogField.contextRequestId(),
      traceId: AccessLogField.contextXrayTraceId(),
      time: AccessLogField.contextRequestTimeEpoch(),
      method: AccessLogField.contextHttpMethod(),
      path: AccessLogField.contextPath(),
      status: AccessLogField.contextStatus(),
      userAgent: AccessLogField.contextIdentityUserAgent(),
      responseBytes: AccessLogField.contextResponseLength(),
      latencyMs: AccessLogField.contextResponseLatency(),
      integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
    }),
  );
}
