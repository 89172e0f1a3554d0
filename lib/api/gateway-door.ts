// The public origin of a stage without a distribution: API Gateway under the stage's own name, with the page beside it.
import { join } from 'node:path';
import { writePage } from '#artifacts';
import { Duration } from 'aws-cdk-lib';
import { DomainName, EndpointType, LambdaIntegration, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Architecture, Function as LambdaFunction, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { ARecord, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { pagesVariables } from '../../lambda/pages/environment.ts';
import { acknowledge, acknowledgeForCheckov, policyOfAWS } from '../shared/acknowledge.ts';
import { bundledCode } from '../shared/bundled-code.ts';
import { contentSecurityPolicy } from '../shared/page-policy.ts';
import { pickVariables } from '../shared/pick-variables.ts';
import { ServiceLogs } from '../shared/service-logs.ts';
import type { StageSettings } from '../stage-settings.ts';
import { certificateOf } from '../web/edge-stack.ts';
import { firewall } from '../web/firewall.ts';
import type { StageZone } from '../web/stage-zone.ts';

/** Where the function looks for them. */
const writePageFiles = (folder: string) => writePage(join(folder, 'page'));

export interface GatewayDoorProps {
  readonly settings: StageSettings;
  readonly api: RestApi;
  /** Where browsers send uploads, and show them from: an https origin. */
  readonly uploadsOrigin: string;
  readonly zone: StageZone;
}

/**
 * What a distribution does otherwise. It lacks three things: answers come from the region alone, nothing is cached
 * before it, and AI clients are not told by a challenge where to sign in, as API Gateway renames it and nothing after
 * it gives the name back. They find the same below `/.well-known`.
 */
export class GatewayDoor extends Construct {
  /** https address without a trailing slash. */
  readonly url: string;
  /** What answers with the page. */
  readonly pages: LambdaFunction;

  constructor(scope: Construct, id: string, { settings, api, uploadsOrigin, zone }: GatewayDoorProps) {
    super(scope, id);
    if (settings.domain === null) throw new Error('a stage without a distribution has a domain');
    const { name } = settings.domain;
    this.url = `https://${name}`;

    const acl = firewall(this, 'WebAcl', settings.webRequestsPerFiveMinutes, 'REGIONAL');
    new CfnWebACLAssociation(this, 'WebAclAssociation', {
      webAclArn: acl.attrArn,
      resourceArn: api.deploymentStage.stageArn,
    });

    this.pages = this.#pages(settings, uploadsOrigin);
    const pages = new LambdaIntegration(this.pages, { allowTestInvoke: false });
    for (const method of [
      api.root.addMethod('ANY', pages),
      api.root.addProxy({ defaultIntegration: pages }).anyMethod!,
    ])
      acknowledgeForCheckov(method, 'The page is for everybody.', 'CKV_AWS_59');

    const { certificateArn } = settings;
    const domain = new DomainName(this, 'Domain', {
      domainName: name,
      certificate:
        certificateArn === null
          ? certificateOf(this, name, zone)
          : Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
      mapping: api,
    });
    const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain));
    new ARecord(this, 'Ipv4', { zone: zone.in(this), target });
  }

  /**
   * It reaches nothing and may do nothing: the page is in its bundle. It has no `FunctionRelease`, as the others have:
   * while two versions answer, a page of one would ask the other for files that only the first has.
   */
  #pages({ logRetentionDays, tracing }: StageSettings, uploadsOrigin: string): LambdaFunction {
    const fn = new LambdaFunction(this, 'Pages', {
      description: 'Answers with the web page',
      code: bundledCode('pages/pages.lambda.ts', {}, writePageFiles),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.seconds(10),
      environment: pickVariables(pagesVariables, { CONTENT_SECURITY_POLICY: contentSecurityPolicy(uploadsOrigin) }),
      tracing: tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      loggingFormat: LoggingFormat.JSON,
      logGroup: new ServiceLogs(this, 'PagesLogs', logRetentionDays),
    });
    acknowledge(
      fn,
      'AWS offers the tracing rights of a function on all resources only.',
      policyOfAWS('AWSLambdaBasicExecutionRole'),
      ...(tracing ? ['AwsSolutions-IAM5[Resource::*]'] : []),
    );
    const reason = 'It answers with files of its bundle, whoever asks, and calls nobody.';
    acknowledgeForCheckov(fn, reason, 'CKV_AWS_115', 'CKV_AWS_116', 'CKV_AWS_117', 'CKV_AWS_173');
    if (!tracing) acknowledgeForCheckov(fn, 'The stage keeps no traces, to be cheap.', 'CKV_AWS_50');
    return fn;
  }
}
