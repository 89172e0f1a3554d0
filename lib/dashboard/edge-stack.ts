// What CloudFront takes from us-east-1 only, wherever the stage is: the web ACL, and the certificate of a stage with a domain.
import { Stack } from 'aws-cdk-lib';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { problemBody } from '../api/gateway-problems.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface EdgeStackProps {
  readonly settings: StageSettings;
}

/** AWS' rule groups, and the rules in them that only count. */
const managedRules: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesKnownBadInputsRuleSet: [],
  AWSManagedRulesCommonRuleSet: [
    // Playlist batches are larger than the 8 KB this allows; the application has limits of its own.
    'SizeRestrictions_BODY',
    // Import URLs, webhooks and redirect URIs of native apps are URLs in a body or query, some to loopback: the application judges them.
    'GenericRFI_BODY',
    'GenericRFI_QUERYARGUMENTS',
    'EC2MetaDataSSRF_BODY',
    'EC2MetaDataSSRF_QUERYARGUMENTS',
    // API clients need not say what they are.
    'NoUserAgent_HEADER',
  ],
};

export class EdgeStack extends Stack {
  readonly webAclArn: string;
  /** Null where the stage has no domain. */
  readonly certificate: ICertificate | null;

  constructor(scope: Construct, id: string, { settings }: EdgeStackProps) {
    super(scope, id, { env: { region: 'us-east-1', ...(settings.account !== null && { account: settings.account }) } });
    this.webAclArn = webAcl(this, settings.webRequestsPerFiveMinutes).attrArn;
    this.certificate = settings.domain && certificateOf(this, settings.domain);
  }
}

function webAcl(scope: Construct, requestsPerFiveMinutes: number): CfnWebACL {
  const tooMany = problemBody('rate_limited', 'Too many requests came from your address.');
  const visibilityConfig = (metricName: string) => ({
    metricName,
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: true,
  });
  return new CfnWebACL(scope, 'WebAcl', {
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: visibilityConfig('Web'),
    customResponseBodies: { TooMany: { contentType: 'APPLICATION_JSON', content: tooMany } },
    rules: [
      {
        name: 'Rate',
        priority: 0,
        action: {
          block: {
            customResponse: {
              responseCode: 429,
              customResponseBodyKey: 'TooMany',
              responseHeaders: [{ name: 'Retry-After', value: '60' }],
            },
          },
        },
        statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerFiveMinutes } },
        visibilityConfig: visibilityConfig('Rate'),
      },
      ...Object.entries(managedRules).map(([name, counting], index) => ({
        name,
        priority: index + 1,
        overrideAction: { none: {} },
        statement: {
          managedRuleGroupStatement: {
            vendorName: 'AWS',
            name,
            ruleActionOverrides: counting.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
          },
        },
        visibilityConfig: visibilityConfig(name),
      })),
    ],
  });
}

function certificateOf(scope: Construct, { name, hostedZoneId }: NonNullable<StageSettings['domain']>): Certificate {
  const zone = HostedZone.fromHostedZoneId(scope, 'Zone', hostedZoneId);
  return new Certificate(scope, 'Certificate', { domainName: name, validation: CertificateValidation.fromDns(zone) });
}
