// Rules for the headers that the distribution and API Gateway send to browsers and clients, each with its reason.
import type { GraphResource, TemplateGraph } from '../support/template-graph.ts';

interface HeaderRule {
  /** Path of the value in a response headers policy. */
  readonly path: readonly string[];
  readonly value: unknown;
  readonly because: string;
}

const securityHeaders: readonly HeaderRule[] = [
  {
    path: ['StrictTransportSecurity', 'AccessControlMaxAgeSec'],
    value: 31_536_000,
    because: 'browsers ask by TLS for a year',
  },
  {
    path: ['StrictTransportSecurity', 'IncludeSubdomains'],
    value: true,
    because: 'a name below could set cookies for this one',
  },
  { path: ['ContentTypeOptions', 'Override'], value: true, because: 'nothing is taken for a script that is none' },
  { path: ['FrameOptions', 'FrameOption'], value: 'DENY', because: 'no other page shows this one in a frame' },
  {
    path: ['ReferrerPolicy', 'ReferrerPolicy'],
    value: 'strict-origin-when-cross-origin',
    because: 'addresses with codes in them stay here',
  },
  {
    path: ['ContentSecurityPolicy', 'Override'],
    value: false,
    because: 'the stricter policy of the API’s own pages stays',
  },
];

const uploads = 'https://UPLOADS';
/** Directives of the content security policy; the bucket of uploads is at UPLOADS. */
const contentSecurityPolicy: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': `'self' ${uploads}`,
  'img-src': `'self' data: blob: ${uploads}`,
  'media-src': `'self' blob: ${uploads}`,
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
  'require-trusted-types-for': "'script'",
};

/** Paths of the API, and client actions that need the API there instead of the page. */
const apiPaths: Readonly<Record<string, string>> = {
  '/v1/*': 'REST',
  '/mcp': 'MCP',
  '/graphql': 'GraphQL',
  '/api/auth/*': 'sign-in and OAuth',
  '/.well-known/*': 'discovery of the authorization server',
};

/** Paths of the API whose answers are the same for all readers. */
const guidePaths = ['/v1/guides/*.json', '/v1/guides/*.xml', '/v1/guides/*.ics', '/v1/guides/*.txt'];

/** Descriptions of the API, of a MB each. */
const documentPaths = ['/v1/openapi.json', '/v1/reference'];

/** https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html */
const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const allViewerExceptHostHeader = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

/** Types of answers that API Gateway gives itself, and the headers of each. */
const problem = { 'Content-Type': "'application/problem+json'" };
const gatewayResponses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  THROTTLED: { ...problem, 'Retry-After': "'1'" },
  INTEGRATION_TIMEOUT: problem,
  WAF_FILTERED: problem,
  DEFAULT_4XX: problem,
  DEFAULT_5XX: problem,
};

/** Faults of the public answers, a line each. */
export function faultsOfPublicAnswers(graph: TemplateGraph): readonly string[] {
  const [distribution, ...others] = graph.ofType('AWS::CloudFront::Distribution');
  if (!distribution || others.length > 0) return ['there is not one distribution'];
  const config = distribution.Properties.DistributionConfig;
  return [
    ...faultsOfBehaviors(graph, distribution),
    ...[config.DefaultCacheBehavior, ...config.CacheBehaviors].flatMap((behavior) =>
      faultsOfHeaders(graph, distribution, behavior),
    ),
    ...faultsOfOrigins(graph, distribution),
    ...faultsOfGatewayResponses(graph),
  ];
}

function faultsOfBehaviors(graph: TemplateGraph, { Properties, stackId }: GraphResource): readonly string[] {
  const { CacheBehaviors: behaviors, DefaultCacheBehavior: page, DefaultRootObject } = Properties.DistributionConfig;
  const api = Object.entries(apiPaths).flatMap(([path, what]) => {
    const behavior = behaviors.find(({ PathPattern }: any) => PathPattern === path);
    if (!behavior) return [`${path} is the page's: ${what} is not reached`];
    const methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'];
    return [
      ...methods
        .filter((method) => !behavior.AllowedMethods?.includes(method))
        .map((method) => `${path} refuses ${method}`),
      ...(behavior.CachePolicyId === cachingDisabled ? [] : [`${path} answers one user with what is another's`]),
      ...(behavior.OriginRequestPolicyId === allViewerExceptHostHeader ? [] : [`${path} is sent no Authorization`]),
      ...(givesChallengesBack(graph, behavior, stackId) ? [] : [`${path} is answered without WWW-Authenticate`]),
      ...(behavior.ViewerProtocolPolicy === 'https-only' ? [] : [`${path} takes tokens without TLS`]),
    ];
  });
  const guides = guidePaths.flatMap((path) => {
    const behavior = behaviors.find(({ PathPattern }: any) => PathPattern === path);
    if (!behavior || behavior.CachePolicyId === cachingDisabled) return [`${path} is made again for each reader`];
    return [
      ...(behavior.OriginRequestPolicyId === allViewerExceptHostHeader ? [] : [`${path} is sent no header`]),
      ...(givesChallengesBack(graph, behavior, stackId) ? [] : [`${path} is answered without WWW-Authenticate`]),
      ...(behavior.ViewerProtocolPolicy === 'https-only' ? [] : [`${path} shows its token without TLS`]),
    ];
  });
  const documents = documentPaths.flatMap((path) => {
    const behavior = behaviors.find(({ PathPattern }: any) => PathPattern === path);
    if (!behavior || behavior.CachePolicyId === cachingDisabled) return [`${path} is sent whole by the API each time`];
    return [
      ...(behavior.OriginRequestPolicyId === undefined ? [] : [`${path} is answered by what one reader sent`]),
      ...(givesChallengesBack(graph, behavior, stackId) ? [] : [`${path} is answered without WWW-Authenticate`]),
      ...(behavior.ViewerProtocolPolicy === 'https-only' ? [] : [`${path} is read without TLS`]),
    ];
  });
  const runsAt = (event: string) => (page.FunctionAssociations ?? []).some(({ EventType }: any) => EventType === event);
  return [
    ...api,
    ...guides,
    ...documents,
    ...(page.ViewerProtocolPolicy === 'redirect-to-https' ? [] : ['the page is shown without TLS']),
    ...(runsAt('viewer-request') ? [] : ['addresses of the page that are not a file are not found']),
    ...(runsAt('viewer-response') ? [] : ['unknown addresses are answered with 200']),
    ...(DefaultRootObject === 'index.html' ? [] : ['the page is not shown at /']),
  ];
}

/** Whether the origin response function runs: CloudFront runs no viewer response functions for error statuses. */
function givesChallengesBack(graph: TemplateGraph, behavior: any, stackId: string): boolean {
  return (behavior.LambdaFunctionAssociations ?? []).some(
    ({ EventType, LambdaFunctionARN }: any) =>
      EventType === 'origin-response' &&
      graph.namedIn(LambdaFunctionARN, stackId).some((id) => id.startsWith('Edge/ChallengeFunction')),
  );
}

function faultsOfHeaders(graph: TemplateGraph, { stackId }: GraphResource, behavior: any): readonly string[] {
  const path = behavior.PathPattern ?? 'the page';
  if (!behavior.ResponseHeadersPolicyId) return [`${path} is answered without security headers`];
  const policy = graph.resourceIn(behavior.ResponseHeadersPolicyId, stackId);
  const config = policy.Properties.ResponseHeadersPolicyConfig.SecurityHeadersConfig ?? {};
  const rules = securityHeaders
    .filter(({ path: names, value }) => names.reduce((inner: any, name) => inner?.[name], config) !== value)
    .map(({ path: names, because }) => `${path} is answered without ${names.join('.')}: ${because}`);
  const given = config.ContentSecurityPolicy?.ContentSecurityPolicy?.['Fn::Join']?.[1] ?? [];
  const text: string = given.map((part: unknown) => (typeof part === 'string' ? part : 'UPLOADS')).join('');
  const directives = new Set(text.split('; '));
  const missing = Object.entries(contentSecurityPolicy)
    .filter(([name, sources]) => !directives.has(`${name} ${sources}`))
    .map(([name, sources]) => `${path} is answered without the policy ${name} ${sources}`);
  return [...rules, ...missing];
}

function faultsOfOrigins(graph: TemplateGraph, { Properties, stackId }: GraphResource): readonly string[] {
  const origins: any[] = Properties.DistributionConfig.Origins;
  const guard = graph.ofType('AWS::WAFv2::WebACL').find(({ stackId: stack }) => stack === 'Api');
  const named = guard?.Properties.Rules[0].Statement.ByteMatchStatement.FieldToMatch.SingleHeader.Name;
  const shown = origins.flatMap(({ OriginCustomHeaders = [] }) => OriginCustomHeaders);
  const pageOrigin = origins.find(({ S3OriginConfig }) => S3OriginConfig);
  const signed = graph.namedIn(pageOrigin?.OriginAccessControlId ?? [], stackId).length === 1;
  const acl = graph.namedIn(Properties.DistributionConfig.WebACLId ?? [], stackId).length === 1;
  return [
    ...(shown.some(({ HeaderName }) => HeaderName === named) ? [] : ['the API blocks the distribution']),
    ...(signed ? [] : ['the bucket of the page refuses the distribution']),
    ...(acl ? [] : ['the distribution has no web ACL']),
  ];
}

function faultsOfGatewayResponses(graph: TemplateGraph): readonly string[] {
  const given = new Map(
    graph.ofType('AWS::ApiGateway::GatewayResponse').map(({ Properties }) => [Properties.ResponseType, Properties]),
  );
  return Object.entries(gatewayResponses).flatMap(([type, headers]) => {
    const response = given.get(type);
    if (!response) return [`API Gateway answers ${type} in a form of its own`];
    return Object.entries(headers)
      .filter(([name, value]) => response.ResponseParameters?.[`gatewayresponse.header.${name}`] !== value)
      .map(([name, value]) => `API Gateway answers ${type} without ${name}: ${value}`);
  });
}
