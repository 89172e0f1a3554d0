// What the public meets: one distribution for page and API, a web ACL in front, and no other way in.
import { describe, expect, test } from 'vitest';
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

function only(stage: SynthesizedStage, type: string, stackId?: string): Resource {
  const [found, ...others] = stage.resources(stackId).filter(([, { Type }]) => Type === type);
  if (!found || others.length > 0) throw new Error(`not one ${type}`);
  return found[1];
}

const distributionOf = (stage: SynthesizedStage) =>
  only(stage, 'AWS::CloudFront::Distribution').Properties.DistributionConfig;

describe('the distribution', () => {
  const config = distributionOf(prod);

  test('sends to the API what is the API’s, uncached, whatever the method', () => {
    expect(config.CacheBehaviors.map(({ PathPattern }: any) => PathPattern)).toEqual([
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

  test('shows the API the secret that its guard asks for', () => {
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

describe('the web ACL', () => {
  test('is where CloudFront wants it, and limits each address', () => {
    expect(prod.stacks.get('Edge')?.region).toBe('us-east-1');
    const { Scope, Rules } = only(prod, 'AWS::WAFv2::WebACL', 'Edge').Properties;
    expect(Scope).toBe('CLOUDFRONT');
    expect(Rules[0].Statement.RateBasedStatement).toEqual({
      AggregateKeyType: 'IP',
      Limit: stages.prod.webRequestsPerFiveMinutes,
    });
  });

  test('only counts what would refuse batches, imports and loopback redirects', () => {
    const { Rules } = only(prod, 'AWS::WAFv2::WebACL', 'Edge').Properties;
    const overrides = Rules.flatMap(
      ({ Statement }: any) => Statement.ManagedRuleGroupStatement?.RuleActionOverrides ?? [],
    );
    expect(overrides.map(({ Name }: any) => Name)).toEqual(
      expect.arrayContaining([
        'SizeRestrictions_BODY',
        'GenericRFI_BODY',
        'GenericRFI_QUERYARGUMENTS',
        'EC2MetaDataSSRF_BODY',
        'EC2MetaDataSSRF_QUERYARGUMENTS',
      ]),
    );
    for (const { ActionToUse } of overrides) expect(ActionToUse).toEqual({ Count: {} });
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

  test('tells its functions that name', () => {
    expect(only(abroad, 'AWS::SSM::Parameter', 'Delivery').Properties.Value).toBe(`https://${domain.name}`);
  });

  test('takes web ACL and certificate from us-east-1', () => {
    const { WebACLId, ViewerCertificate } = distributionOf(abroad);
    for (const reference of [WebACLId, ViewerCertificate.AcmCertificateArn])
      expect(reference['Fn::GetStackOutput']).toMatchObject({ StackName: 'abroad-Edge', Region: 'us-east-1' });
  });
});
