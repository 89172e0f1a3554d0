// The web ACL in front of the distribution: a request limit for each address, and AWS rules against attacks.
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { problemBody } from '../api/gateway-problems.ts';

/** A rule group of AWS. A rule in neither list refuses requests itself, with a page of AWS. */
interface ManagedRules {
  /** Rules that only count. */
  readonly counting: readonly string[];
  /** Rules that only count and label. A later rule refuses requests with these labels in the format of the API. */
  readonly refusing: readonly string[];
  /** The labels of the refusing rules: one by one, or as the namespace of the group, which ends with a colon. */
  readonly labels: readonly string[];
}

const commonRuleSet = (name: string) => `awswaf:managed:aws:core-rule-set:${name}`;

/**
 * Bodies and queries contain texts of users: titles, links to import, webhooks, redirect URIs of native apps with a
 * loopback address, whole authorization requests. The application checks all of it, so rules that guess from patterns
 * must not refuse it. Paths and cookies are our own, and are refused if they look like an attack.
 *
 * Names and labels are those of
 * https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html and
 * https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-ip-rep.html.
 */
const managedRules: Readonly<Record<string, ManagedRules>> = {
  AWSManagedRulesAmazonIpReputationList: {
    counting: [],
    refusing: ['AWSManagedIPReputationList', 'AWSManagedReconnaissanceList'],
    // A third rule of the group only counts, so its label must not be in this list.
    labels: [
      'awswaf:managed:aws:amazon-ip-list:AWSManagedIPReputationList',
      'awswaf:managed:aws:amazon-ip-list:AWSManagedReconnaissanceList',
    ],
  },
  AWSManagedRulesKnownBadInputsRuleSet: {
    counting: [],
    refusing: [
      'JavaDeserializationRCE_HEADER',
      'JavaDeserializationRCE_BODY',
      'JavaDeserializationRCE_URIPATH',
      'JavaDeserializationRCE_QUERYSTRING',
      'Host_localhost_HEADER',
      'PROPFIND_METHOD',
      'ExploitablePaths_URIPATH',
      'Log4JRCE_HEADER',
      'Log4JRCE_QUERYSTRING',
      'Log4JRCE_BODY',
      'Log4JRCE_URIPATH',
    ],
    labels: ['awswaf:managed:aws:known-bad-inputs:'],
  },
  AWSManagedRulesCommonRuleSet: {
    counting: [
      // Requests that change playlists exceed 8 KB, and authorization requests exceed 2,048 bytes.
      'SizeRestrictions_BODY',
      'SizeRestrictions_QUERYSTRING',
      'EC2MetaDataSSRF_BODY',
      'EC2MetaDataSSRF_QUERYARGUMENTS',
      'GenericLFI_BODY',
      'GenericLFI_QUERYARGUMENTS',
      'GenericRFI_BODY',
      'GenericRFI_QUERYARGUMENTS',
      'RestrictedExtensions_QUERYARGUMENTS',
      'CrossSiteScripting_BODY',
      'CrossSiteScripting_QUERYARGUMENTS',
      // Clients of the API need not send a User-Agent.
      'NoUserAgent_HEADER',
    ],
    refusing: [
      'SizeRestrictions_Cookie_HEADER',
      'SizeRestrictions_URIPATH',
      'EC2MetaDataSSRF_COOKIE',
      'EC2MetaDataSSRF_URIPATH',
      'GenericLFI_URIPATH',
      'GenericRFI_URIPATH',
      'RestrictedExtensions_URIPATH',
      'CrossSiteScripting_COOKIE',
      'CrossSiteScripting_URIPATH',
    ],
    labels: [
      'SizeRestrictions_Cookie_Header',
      'SizeRestrictions_URIPath',
      'EC2MetaDataSSRF_Cookie',
      'EC2MetaDataSSRF_URIPath',
      'GenericLFI_URIPath',
      'GenericRFI_URIPath',
      'RestrictedExtensions_URIPath',
      'CrossSiteScripting_Cookie',
      'CrossSiteScripting_URIPath',
    ].map(commonRuleSet),
  },
};

/** Answers of the web ACL. WAF sends them as application/json: the type cannot be changed. */
const answers = {
  TooMany: problemBody('rate_limited', 'Too many requests came from your address.'),
  Refused: problemBody(
    'request_refused',
    'The firewall refused the request: it looks like an attack, or comes from an address that attacks come from.',
  ),
};

/**
 * Files that anyone may read as often as CloudFront answers, with lower limits of requests of one address within five
 * minutes. A description of the API has a MB without compression: at 5,000 an address, 120 dollars a day.
 */
const publicFiles = {
  Documents: { limit: 100, paths: [{ is: '/v1/openapi.json' }, { is: '/v1/reference' }] },
  Assets: { limit: 1000, paths: [{ beginsWith: '/assets/' }] },
} as const;

/** @param requestsPerFiveMinutes limit of one address */
export function firewall(scope: Construct, id: string, requestsPerFiveMinutes: number): CfnWebACL {
  const groups = Object.entries(managedRules);
  const files = Object.entries(publicFiles);
  return new CfnWebACL(scope, id, {
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: visibilityConfig('Web'),
    customResponseBodies: Object.fromEntries(
      Object.entries(answers).map(([key, content]) => [key, { contentType: 'APPLICATION_JSON', content }]),
    ),
    rules: [
      {
        name: 'Rate',
        priority: 0,
        action: refusal('TooMany', 429, [{ name: 'Retry-After', value: '60' }]),
        statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerFiveMinutes } },
        visibilityConfig: visibilityConfig('Rate'),
      },
      ...files.map(([name, { limit, paths }], index) => ({
        name,
        priority: index + 1,
        action: refusal('TooMany', 429, [{ name: 'Retry-After', value: '60' }]),
        statement: {
          rateBasedStatement: { aggregateKeyType: 'IP', limit, scopeDownStatement: anyPathOf(paths) },
        },
        visibilityConfig: visibilityConfig(name),
      })),
      ...groups.map(([name, { counting, refusing }], index) => ({
        name,
        priority: files.length + index + 1,
        overrideAction: { none: {} },
        statement: {
          managedRuleGroupStatement: {
            vendorName: 'AWS',
            name,
            ruleActionOverrides: [...counting, ...refusing].map((rule) => ({ name: rule, actionToUse: { count: {} } })),
          },
        },
        visibilityConfig: visibilityConfig(name),
      })),
      {
        // A managed rule refuses with a page of HTML. This rule reads the labels that earlier rules have added.
        name: 'Refused',
        priority: files.length + groups.length + 1,
        action: refusal('Refused', 403),
        statement: {
          orStatement: {
            statements: groups
              .flatMap(([, { labels }]) => labels)
              .map((key) => ({ labelMatchStatement: { scope: key.endsWith(':') ? 'NAMESPACE' : 'LABEL', key } })),
          },
        },
        visibilityConfig: visibilityConfig('Refused'),
      },
    ],
  });
}

type PathMatch = { readonly is: string } | { readonly beginsWith: string };

/** Paths are compared as the API reads them, without percent signs. WAF takes no `or` of a single statement. */
function anyPathOf(paths: readonly PathMatch[]): CfnWebACL.StatementProperty {
  const statements = paths.map((path) => ({
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      positionalConstraint: 'is' in path ? 'EXACTLY' : 'STARTS_WITH',
      searchString: 'is' in path ? path.is : path.beginsWith,
      textTransformations: [{ priority: 0, type: 'URL_DECODE' }],
    },
  }));
  return statements.length === 1 ? statements[0]! : { orStatement: { statements } };
}

/**
 * @param responseCode a status of WAF's own answers; 422 is none of them:
 *   https://docs.aws.amazon.com/waf/latest/developerguide/customizing-the-response-status-codes.html
 */
function refusal(
  answer: keyof typeof answers,
  responseCode: 403 | 429,
  responseHeaders: { readonly name: string; readonly value: string }[] = [],
) {
  return {
    block: {
      customResponse: {
        responseCode,
        customResponseBodyKey: answer,
        ...(responseHeaders.length > 0 && { responseHeaders }),
      },
    },
  };
}

function visibilityConfig(metricName: string) {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
