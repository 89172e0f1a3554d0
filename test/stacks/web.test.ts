// Public access: one distribution for page and API behind a web ACL, and no other way in.
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { templateChanges } from '../../bin/deploy/template-changes/template-changes.ts';
import { guideDocuments } from '../../lambda/operations/streams/guide-link.ts';
import { stages } from '../../lib/stages.ts';
import { type Resource, type SynthesizedStage, synthesizeStage, testApp } from '../support/synth.ts';

const prod = synthesizeStage(testApp(), 'prod', stages.prod);
const domain = { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' };
const abroad = synthesizeStage(testApp(), 'abroad', {
  ...stages.prod,
  domain,
  region: 'eu-west-1',
  availabilityZones: ['eu-west-1a', 'eu-west-1b'],
});

const documentPaths = ['/v1/openapi.json', '/v1/reference'];
const guidePaths = ['/v1/guides/*.json', '/v1/guides/*.xml', '/v1/guides/*.ics', '/v1/guides/*.txt'];

function only(stage: SynthesizedStage, type: string, stackId?: string): Resource {
  const [found, ...others] = stage.resources(stackId).filter(([, { Type }]) => Type === type);
  if (!found || others.length > 0) throw new Error(`not one ${type}`);
  return found[1];
}

const distributionOf = (stage: SynthesizedStage) =>
  only(stage, 'AWS::CloudFront::Distribution').Properties.DistributionConfig;

describe('the distribution', () => {
  const config = distributionOf(prod);

  test('sends the paths of the API to the API, whatever the method', () => {
    expect(config.CacheBehaviors.map(({ PathPattern }: any) => PathPattern)).toEqual([
      ...guidePaths,
      ...documentPaths,
      '/v1/*',
      '/mcp',
      '/graphql',
      '/api/auth/*',
      '/.well-known/*',
    ]);
    for (const behavior of config.CacheBehaviors) {
      expect(behavior).toMatchObject({
        ViewerProtocolPolicy: 'https-only',
        AllowedMethods: expect.arrayContaining(['POST', 'PATCH', 'DELETE']),
      });
    }
  });

  const cachePolicyOf = (id: string) =>
    prod
      .resources('Dashboard')
      .find(([name, { Type }]) => Type === 'AWS::CloudFront::CachePolicy' && name.startsWith(id)) as [string, Resource];

  test('keeps and compresses descriptions of the API for all readers, and tells none the limits of another', () => {
    const [policyID, { Properties }] = cachePolicyOf('Documents');
    const kept = config.CacheBehaviors.filter(({ CachePolicyId }: any) => CachePolicyId.Ref === policyID);
    expect(kept.map(({ PathPattern }: any) => PathPattern)).toEqual(documentPaths);
    const { DefaultTTL, MaxTTL, ParametersInCacheKeyAndForwardedToOrigin: key } = Properties.CachePolicyConfig;
    expect([DefaultTTL, MaxTTL]).toEqual([300, 300]);
    expect(key).toMatchObject({
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'none' },
      QueryStringsConfig: { QueryStringBehavior: 'none' },
      EnableAcceptEncodingBrotli: true,
      EnableAcceptEncodingGzip: true,
    });
    for (const behavior of kept) {
      expect(behavior).toMatchObject({ Compress: true });
      expect(behavior.OriginRequestPolicyId).toBeUndefined();
      const [, headers] = prod.resources('Dashboard').find(([id]) => id === behavior.ResponseHeadersPolicyId.Ref) as [
        string,
        Resource,
      ];
      const { RemoveHeadersConfig } = headers.Properties.ResponseHeadersPolicyConfig;
      expect(RemoveHeadersConfig.Items.map(({ Header }: any) => Header)).toEqual([
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
      ]);
    }
    expect(config.CustomErrorResponses).toEqual([{ ErrorCode: 429, ErrorCachingMinTTL: 0 }]);
  });

  test('keeps guides by their path for half a minute at most, and no other answer of the API', () => {
    const [policyID, { Properties }] = cachePolicyOf('Guides');
    const kept = config.CacheBehaviors.filter(({ CachePolicyId }: any) => CachePolicyId.Ref === policyID);
    expect(kept.map(({ PathPattern }: any) => PathPattern)).toEqual(guidePaths);
    for (const { CachedMethods = ['GET', 'HEAD'] } of kept) expect(CachedMethods).toEqual(['GET', 'HEAD']);
    const { MinTTL, MaxTTL, ParametersInCacheKeyAndForwardedToOrigin: key } = Properties.CachePolicyConfig;
    expect([MinTTL, MaxTTL]).toEqual([1, 30]);
    expect(key).toEqual({
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'none' },
      QueryStringsConfig: { QueryStringBehavior: 'none' },
      EnableAcceptEncodingBrotli: false,
      EnableAcceptEncodingGzip: false,
    });
    const fits = (path: string) =>
      guidePaths.some((pattern) =>
        new RegExp(
          `^${pattern
            .split('*')
            .map((part) => RegExp.escape(part))
            .join('.*')}$`,
        ).test(path),
      );
    expect(guideDocuments.filter((ending) => !fits(`/v1/guides/TOKEN${ending}`))).toEqual([]);
    expect(fits('/v1/guides/TOKEN/requests')).toBe(false);
  });

  // CloudFront skips viewer response functions at statuses of 400 and above, which challenges have.
  // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/edge-functions-restrictions.html
  test('gives every answer of the API, refusals too, its challenge back', () => {
    const [[versionID]] = prod.resources('Edge').filter(([, { Type }]) => Type === 'AWS::Lambda::Version') as [
      [string, Resource],
    ];
    for (const { LambdaFunctionAssociations, FunctionAssociations } of config.CacheBehaviors) {
      expect(FunctionAssociations ?? []).toEqual([]);
      expect(LambdaFunctionAssociations).toEqual([
        { EventType: 'origin-response', LambdaFunctionARN: { 'Fn::GetStackOutput': expect.anything() } },
      ]);
      const reference = LambdaFunctionAssociations[0].LambdaFunctionARN['Fn::GetStackOutput'];
      expect(prod.template('Edge').Outputs?.[reference.OutputName]).toEqual({ Value: { Ref: versionID } });
    }
  });

  // A stack that is rolled back asks for the outputs that it had before.
  test('has a new version of that function from an output that keeps its name', () => {
    const { LambdaFunctionARN } = config.CacheBehaviors[0].LambdaFunctionAssociations[0];
    expect(LambdaFunctionARN['Fn::GetStackOutput'].OutputName).not.toContain('HASH');
    // Without another text in the distribution, CloudFormation would not look for the new version.
    expect(config.Comment).toMatch(/CurrentVersion\w+HASH$/);
  });

  test('runs a function that CloudFront can run, and that may do nothing', () => {
    const { Runtime, Architectures, Environment, VpcConfig, TracingConfig, Layers, Timeout } = only(
      prod,
      'AWS::Lambda::Function',
      'Edge',
    ).Properties;
    expect([Runtime, Architectures, Timeout]).toEqual(['nodejs22.x', ['x86_64'], 1]);
    expect([Environment, VpcConfig, TracingConfig, Layers]).toEqual([undefined, undefined, undefined, undefined]);
    const { AssumeRolePolicyDocument, ManagedPolicyArns, Policies } = only(prod, 'AWS::IAM::Role', 'Edge').Properties;
    const principals = AssumeRolePolicyDocument.Statement.flatMap(({ Principal }: any) => Principal.Service);
    expect([...new Set(principals)].toSorted()).toEqual(['edgelambda.amazonaws.com', 'lambda.amazonaws.com']);
    expect([ManagedPolicyArns, Policies]).toEqual([undefined, undefined]);
    expect(prod.resources('Edge').filter(([, { Type }]) => Type === 'AWS::IAM::Policy')).toEqual([]);
  });

  test('sends the API the secret without which its guard blocks requests', () => {
    const guard = only(prod, 'AWS::WAFv2::WebACL', 'Api').Properties;
    expect(guard.DefaultAction).toEqual({ Block: {} });
    const { FieldToMatch, SearchString } = guard.Rules[0].Statement.ByteMatchStatement;
    const [{ HeaderName, HeaderValue }] = config.Origins.find(
      ({ CustomOriginConfig }: any) => CustomOriginConfig,
    ).OriginCustomHeaders;
    expect(HeaderName).toBe(FieldToMatch.SingleHeader.Name);
    for (const value of [SearchString, HeaderValue])
      expect(JSON.stringify(value)).toContain('{{resolve:secretsmanager:');
    expect(only(prod, 'AWS::WAFv2::WebACLAssociation').Properties.WebACLArn).toEqual({
      'Fn::GetAtt': [expect.stringContaining('WebAcl'), 'Arn'],
    });
  });

  test('reads the page from a bucket that nobody else reads', () => {
    const site = prod.resources('Dashboard').find(([id]) => id.startsWith('Site') && !id.includes('Policy'));
    expect(site?.[1].Properties.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(only(prod, 'AWS::CloudFront::OriginAccessControl').Properties.OriginAccessControlConfig).toMatchObject({
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    });
  });

  test('answers with security headers everywhere', () => {
    const policies = [config.DefaultCacheBehavior, ...config.CacheBehaviors].map(
      ({ ResponseHeadersPolicyId }) => ResponseHeadersPolicyId,
    );
    expect(policies.filter((policy) => !policy)).toEqual([]);
  });
});

describe('the page', () => {
  const handler = new Script(
    `${only(prod, 'AWS::CloudFront::Function').Properties.FunctionCode}\nhandler`,
  ).runInNewContext() as (event: object) => any;

  /** The key that the bucket is asked for by a browser with these languages, and with this cookie. */
  function documentFor(accepted: string | null, cookie: string | null): string {
    const request = {
      uri: '/streams',
      headers: accepted === null ? {} : { 'accept-language': { value: accepted } },
      cookies: cookie === null ? {} : { language: { value: cookie } },
    };
    return handler({ context: { eventType: 'viewer-request' }, request }).uri;
  }

  test.each([
    [null, null, 'en'],
    ['*', null, 'en'],
    ['de', null, 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', null, 'de'],
    ['DE-de', null, 'de'],
    ['en-GB,en;q=0.9,de;q=0.8', null, 'en'],
    ['fr,de;q=0.5,en;q=0.4', null, 'de'],
    ['en;q=0.3, de; q=0.7', null, 'de'],
    ['de;q=0,en;q=0.1', null, 'en'],
    ['fr', null, 'en'],
    ['den', null, 'en'],
    ['de;q=zero', null, 'en'],
    ['de', 'en', 'en'],
    ['en', 'de', 'de'],
    ['de', 'system', 'de'],
    ['en', '__proto__', 'en'],
    ['en', 'toString', 'en'],
  ])('is in the language of the reader: %s, chosen %s', (accepted, cookie, language) => {
    expect(documentFor(accepted, cookie)).toBe(language === 'en' ? '/index.html' : `/index-${language}.html`);
  });

  test('is asked for only after it is there', () => {
    const { DependsOn } = only(prod, 'AWS::CloudFront::Function');
    expect(DependsOn).toEqual(expect.arrayContaining([expect.stringMatching(/^PageDocumentCustomResource/)]));
  });

  test('uses no syntax that CloudFront does not list', () => {
    expect(String(only(prod, 'AWS::CloudFront::Function').Properties.FunctionCode)).not.toMatch(
      /\?\?|\?\.\w|\(\{|(?:const|let) [{[]|\.\.\.|=>[^\n]*\basync\b/,
    );
  });

  /** Key and status of the answer of the bucket. The second run has the address before or after it was rewritten. */
  function answered(uri: string, secondRunHas: 'original' | 'rewritten') {
    const conditional = { 'if-none-match': { value: '"1"' }, 'if-modified-since': { value: 'yesterday' } };
    const event = (eventType: string, request: object) => ({ context: { eventType }, request });
    const original = { uri, headers: { accept: { value: 'text/html' }, ...conditional }, cookies: {} };
    const asked = handler(event('viewer-request', structuredClone(original)));
    const seen = secondRunHas === 'original' ? original : asked;
    const { statusCode } = handler({ ...event('viewer-response', seen), response: { statusCode: 200, headers: {} } });
    return [asked.uri, statusCode, 'if-none-match' in asked.headers && 'if-modified-since' in asked.headers];
  }

  test.each(['original', 'rewritten'] as const)('has one document, with 404 at unknown addresses: %s', (seen) => {
    for (const known of ['/', '/streams', '/streams/str_1', '/consent', '/index.html'])
      expect([known, ...answered(known, seen)]).toEqual([known, '/index.html', 200, true]);
    for (const unknown of ['/nowhere', '/streams/', '/wp-login.php', '/v1', '/assets'])
      expect([unknown, ...answered(unknown, seen)]).toEqual([unknown, '/index.html', 404, false]);
    expect(answered('/assets/main-1.js', seen)).toEqual(['/assets/main-1.js', 200, true]);
  });
});

describe('the web ACL', () => {
  test('is in us-east-1, where CloudFront wants it, and limits requests by address', () => {
    expect(prod.stacks.get('Edge')?.region).toBe('us-east-1');
    const { Scope, Rules } = only(prod, 'AWS::WAFv2::WebACL', 'Edge').Properties;
    expect(Scope).toBe('CLOUDFRONT');
    expect(Rules[0].Statement.RateBasedStatement).toEqual({
      AggregateKeyType: 'IP',
      Limit: stages.prod.webRequestsPerFiveMinutes,
    });
  });
});

describe('a stage with a domain, in another region', () => {
  test('has TLS 1.2 or newer, a certificate and records for its name', () => {
    expect(distributionOf(abroad)).toMatchObject({
      Aliases: [domain.name],
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' },
    });
    expect(only(abroad, 'AWS::CertificateManager::Certificate', 'Edge').Properties.DomainName).toBe(domain.name);
    const records = abroad.resources('Dashboard').filter(([, { Type }]) => Type === 'AWS::Route53::RecordSet');
    expect(records.map(([, { Properties }]) => [Properties.Type, Properties.Name])).toEqual([
      ['A', `${domain.name}.`],
      ['AAAA', `${domain.name}.`],
    ]);
  });

  test('leaves its certificate behind when it loses its name, as the distribution uses it until then', () => {
    const before = new Map([...abroad.stacks.keys()].map((id) => [id, abroad.template(id)]));
    const [id] = abroad.resources('Edge').find(([, { Type }]) => Type === 'AWS::CertificateManager::Certificate')!;
    const { [id]: _, ...Resources } = abroad.template('Edge').Resources;
    const after = new Map([...before, ['Edge', { ...before.get('Edge'), Resources }]]);
    const { findings } = templateChanges({ before, after });
    expect(findings.map(({ subject }) => subject).filter((subject) => subject === `Edge/${id}`)).toEqual([]);
  });

  // Functions follow the parameter. Their variable has the name for the time until the parameter exists.
  test('tells its functions its name after the distribution serves it', () => {
    const origins = abroad
      .resources()
      .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
      .flatMap(([, { Properties }]) => Properties.Environment?.Variables?.BASE_URL ?? []);
    const parameter = '/loop-streaming-platform/abroad/public-origin';
    expect(origins).toEqual(origins.map(() => `ssm:${parameter},https://${domain.name}`));
    expect(origins).toHaveLength(7);
    const written = abroad.resources('Delivery').find(([, { Properties }]) => Properties.Name === parameter);
    expect(written?.[1].Properties.Value).toBe(`https://${domain.name}`);
  });

  test('takes web ACL and certificate from us-east-1', () => {
    const { WebACLId, ViewerCertificate } = distributionOf(abroad);
    for (const reference of [WebACLId, ViewerCertificate.AcmCertificateArn])
      expect(reference['Fn::GetStackOutput']).toMatchObject({ StackName: 'abroad-Edge', Region: 'us-east-1' });
  });
});
