// The public origin: a distribution with the web page and, under the same name, the API.
import { CfnOutput, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  type FunctionAssociation,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  LambdaEdgeEventType,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { AaaaRecord, ARecord, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { ApiStack } from '../api/api-stack.ts';
import type { MediaStack } from '../media/media-stack.ts';
import { acknowledge, acknowledgeForCheckov } from '../shared/acknowledge.ts';
import { acknowledgeGivenLogs, logPrefix } from '../shared/given-logs.ts';
import { contentSecurityPolicy } from '../shared/page-policy.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { StageZone } from './stage-zone.ts';
import type { EdgeStack } from './edge-stack.ts';
import { pageAddressesCode } from './page-addresses.ts';
import { PageFiles } from './page-files.ts';

export interface WebStackProps {
  readonly settings: StageSettings;
  readonly edge: EdgeStack;
  readonly api: ApiStack;
  readonly media: MediaStack;
  readonly zone: StageZone;
}

/** Paths of the API. All others are those of the page. Handlers receive these paths unchanged, as in the local run. */
const apiPaths = ['/v1/*', '/mcp', '/graphql', '/api/auth/*', '/.well-known/*'];

/** Paths of guides, which anyone with a link may read. Their cache key is the path alone. */
const guidePaths = ['/v1/guides/*.json', '/v1/guides/*.xml', '/v1/guides/*.ics', '/v1/guides/*.txt'];

/** Paths of the API's descriptions, which anyone may read: a MB each before compression. They are the same for all. */
const documentPaths = ['/v1/openapi.json', '/v1/reference'];

const idOutput = 'DistributionId';
const nameOutput = 'DistributionName';

export class WebStack extends Stack {
  /** HTTPS URL without a trailing slash. */
  readonly url: string;
  readonly distribution: Distribution;
  /** Its id. */
  readonly idOutput: CfnOutput;

  constructor(scope: Construct, id: string, { settings, edge, api, media, zone }: WebStackProps) {
    super(scope, id);
    const common = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // The page can be built again from this repository, and logs need not be kept.
      removalPolicy: RemovalPolicy.DESTROY,
    };
    const { logBucketName } = settings;
    const logs =
      logBucketName === null ? this.#logs(settings, common) : Bucket.fromBucketName(this, 'Logs', logBucketName);
    const prefixOf = (source: string) => (logBucketName === null ? `${source}/` : logPrefix(this, source));
    const site = new Bucket(this, 'Site', {
      ...common,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      serverAccessLogsBucket: logs,
      serverAccessLogsPrefix: prefixOf('site'),
    });

    if (logBucketName !== null) acknowledgeGivenLogs(site);
    acknowledgeForCheckov(site, 'The page is in this repository.', 'CKV_AWS_21');

    const responseHeadersPolicy = this.#securityHeaders(media);
    const toOrigin: BehaviorOptions = {
      origin: new HttpOrigin(api.domainName, {
        originPath: api.basePath,
        customHeaders: { [api.guard.headerName]: api.guard.headerValue },
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      responseHeadersPolicy,
      edgeLambdas: [{ functionVersion: edge.challengeIn(this), eventType: LambdaEdgeEventType.ORIGIN_RESPONSE }],
    };
    // API Gateway answers only to its own host name, so the viewer's host header is not forwarded.
    const toApi = { ...toOrigin, originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER };
    const toGuides = { ...toApi, cachePolicy: this.#cacheOfGuides() };
    const toDocuments = this.#toDocuments(toOrigin, media);
    this.addStackDependency(edge);
    const onePage = this.#onePage();
    this.distribution = new Distribution(this, 'Distribution', {
      comment: `The API answers through ${edge.challengeName}`,
      defaultRootObject: 'index.html',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(site),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        responseHeadersPolicy,
        functionAssociations: associationsOf(onePage),
      },
      // The first path that fits is used.
      additionalBehaviors: Object.fromEntries([
        ...guidePaths.map((path) => [path, toGuides] as const),
        ...documentPaths.map((path) => [path, toDocuments] as const),
        ...apiPaths.map((path) => [path, toApi] as const),
      ]),
      // The API refuses an address, not a path: a refusal of one reader must not be kept for the others.
      errorResponses: [{ httpStatus: 429, ttl: Duration.seconds(0) }],
      webAclId: edge.webAclArn,
      httpVersion: HttpVersion.HTTP2_AND_3,
      logBucket: logs,
      logFilePrefix: prefixOf('distribution'),
      ...(settings.domain &&
        edge.certificate && {
          domainNames: [settings.domain.name],
          certificate: edge.certificate,
          minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        }),
    });
    const page = new PageFiles(this, 'Page', { bucket: site, logRetentionDays: settings.logRetentionDays });
    // A release may bring a document in a further language, which the function must not ask for before it is there.
    onePage.node.addDependency(page);
    acknowledge(this.distribution, 'Users are everywhere.', 'AwsSolutions-CFR1');
    if (settings.domain) this.#nameIt(zone);
    else {
      const reason = 'CloudFront’s own name allows no TLS policy; a stage with a domain has TLS 1.2.';
      acknowledge(this.distribution, reason, 'AwsSolutions-CFR4');
      acknowledgeForCheckov(this.distribution, reason, 'CKV_AWS_174');
    }
    // Exported with a domain too, so that a stage may get one, or lose it, in one deployment.
    this.exportValue(this.distribution.distributionDomainName);
    this.idOutput = new CfnOutput(this, idOutput, { value: this.distribution.distributionId });
    new CfnOutput(this, nameOutput, { value: this.distribution.distributionDomainName });
    this.url = `https://${settings.domain?.name ?? this.distribution.distributionDomainName}`;
  }

  /** The distribution's id and CloudFront's name of it, for stacks in any region that depend on this one. */
  outputs(): { readonly distributionId: string; readonly distributionName: string } {
    const output = (name: string) => Fn.getStackOutput(this.stackName, name, this.region);
    return { distributionId: output(idOutput), distributionName: output(nameOutput) };
  }

  #logs({ logRetentionDays }: StageSettings, common: BucketProps): Bucket {
    const logs = new Bucket(this, 'Logs', {
      ...common,
      // CloudFront needs ACLs to write its logs.
      objectOwnership: ObjectOwnership.BUCKET_OWNER_PREFERRED,
      lifecycleRules: [{ expiration: Duration.days(logRetentionDays) }],
    });
    acknowledgeForCheckov(
      logs,
      'Logs of logs are not kept, and no line of them is ever overwritten.',
      'CKV_AWS_18',
      'CKV_AWS_21',
    );
    return logs;
  }

  /** Answers every address that is not a file with the page's document, unknown ones with 404. */
  #onePage(): EdgeFunction {
    return new EdgeFunction(this, 'OnePage', {
      comment: 'Answers every address of the web page with its document',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(pageAddressesCode),
    });
  }

  /**
   * Keeps guides as long as their answers allow, so that readers at once are one request to the API. A link that is
   * taken back is answered for so long. Decision D279.
   */
  #cacheOfGuides(): CachePolicy {
    return new CachePolicy(this, 'Guides', {
      comment: 'Guides by their path, as long as they allow',
      minTtl: Duration.seconds(1),
      defaultTtl: Duration.seconds(1),
      maxTtl: Duration.seconds(30),
    });
  }

  /**
   * Keeps and compresses descriptions of the API. Nothing of a reader is sent to the API, and the limits of one reader
   * in its answer are left out. Decision D292.
   */
  #toDocuments(toOrigin: BehaviorOptions, media: MediaStack): BehaviorOptions {
    return {
      ...toOrigin,
      compress: true,
      cachePolicy: new CachePolicy(this, 'Documents', {
        comment: 'Descriptions of the API by their path',
        minTtl: Duration.minutes(1),
        defaultTtl: Duration.minutes(5),
        maxTtl: Duration.minutes(5),
        enableAcceptEncodingBrotli: true,
        enableAcceptEncodingGzip: true,
      }),
      responseHeadersPolicy: this.#securityHeaders(media, 'DocumentHeaders', [
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
      ]),
    };
  }

  /** @param removeHeaders headers of answers that viewers do not get */
  #securityHeaders(media: MediaStack, id = 'SecurityHeaders', removeHeaders: string[] = []): ResponseHeadersPolicy {
    const uploads = `https://${media.uploads.bucketRegionalDomainName}`;
    return new ResponseHeadersPolicy(this, id, {
      ...(removeHeaders.length > 0 && { removeHeaders }),
      securityHeadersBehavior: {
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.STRICT_ORIGIN_WHEN_CROSS_ORIGIN, override: true },
        contentSecurityPolicy: {
          contentSecurityPolicy: contentSecurityPolicy(uploads),
          // The API's answers may have a stricter policy, which is kept.
          override: false,
        },
      },
    });
  }

  #nameIt(zone: StageZone): void {
    // The zone has the public name here, so a record without a name of its own has exactly this name.
    const record = { zone: zone.in(this), target: RecordTarget.fromAlias(new CloudFrontTarget(this.distribution)) };
    new ARecord(this, 'Ipv4', record);
    new AaaaRecord(this, 'Ipv6', record);
  }
}

/** Runs a function before the bucket is asked, and after it has answered. */
function associationsOf(onePage: EdgeFunction): FunctionAssociation[] {
  return [FunctionEventType.VIEWER_REQUEST, FunctionEventType.VIEWER_RESPONSE].map((eventType) => ({
    function: onePage,
    eventType,
  }));
}
