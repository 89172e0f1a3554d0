// AWS's documentation of its managed rules: the inspected part of a request, size or patterns, and label.
// https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
// AWS publishes only examples of the patterns: the real rules match more than those here.

export interface SentRequest {
  /** In lower case, as the OpenAPI document writes it. */
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The texts of a request that rules inspect. */
interface Parts {
  readonly method: readonly string[];
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly queryArguments: readonly string[];
  readonly body: readonly string[];
  readonly cookie: readonly string[];
  readonly headers: readonly string[];
  readonly host: readonly string[];
  readonly userAgent: readonly string[];
}

interface DocumentedRule {
  readonly label: string;
  readonly matches: (parts: Parts) => boolean;
}

export function partsOf({ method, path, query, body, headers }: SentRequest): Parts {
  const named = (name: string) => (headers[name] === undefined ? [] : [headers[name]]);
  return {
    method: [method.toUpperCase()],
    path: [path],
    query: [query],
    queryArguments: [...new URLSearchParams(query).values()],
    body: [body],
    cookie: named('cookie'),
    headers: Object.values(headers),
    host: named('host'),
    userAgent: named('user-agent'),
  };
}

const bytesOver = (limit: number) => (text: string) => Buffer.byteLength(text) > limit;
const showing = (pattern: RegExp) => (text: string) => pattern.test(text);

const metadata = showing(/169\.254\.169\.254/);
const traversal = showing(/\.\.\//);
const urlWithAddress = showing(/\b(https?|ftps?|file):\/\/\d+\.\d+\.\d+\.\d+/);
const systemFile = showing(/\.(log|ini|bak|cfg|sql|key|pem)\b/);
const script = showing(/<\s*(script|b|return)\b/i);
const javaCall = showing(/\(java\.lang\.Runtime\)\.getRuntime\(\)\.exec/);
const jndi = showing(/\$\{jndi:/);

function rule(
  namespace: string,
  name: string,
  label: string,
  part: keyof Parts,
  holds: (text: string) => boolean,
): readonly [name: string, rule: DocumentedRule] {
  return [name, { label: `awswaf:managed:aws:${namespace}:${label}`, matches: (parts) => parts[part].some(holds) }];
}
const core = (name: string, label: string, part: keyof Parts, holds: (text: string) => boolean) =>
  rule('core-rule-set', name, label, part, holds);
const bad = (name: string, label: string, part: keyof Parts, holds: (text: string) => boolean) =>
  rule('known-bad-inputs', name, label, part, holds);
/** Whether an address is on a list: no test address is. */
const listed = () => false;

/** The rules of the groups that the platform uses, by name. */
export const documentedRules: readonly (readonly [name: string, rule: DocumentedRule])[] = [
  [
    'NoUserAgent_HEADER',
    {
      label: 'awswaf:managed:aws:core-rule-set:NoUserAgent_Header',
      matches: ({ userAgent }: Parts) => userAgent.length === 0,
    },
  ],
  core('UserAgent_BadBots_HEADER', 'BadBots_Header', 'userAgent', showing(/nessus|nmap/i)),
  core('SizeRestrictions_QUERYSTRING', 'SizeRestrictions_QueryString', 'query', bytesOver(2048)),
  core('SizeRestrictions_Cookie_HEADER', 'SizeRestrictions_Cookie_Header', 'cookie', bytesOver(10_240)),
  core('SizeRestrictions_BODY', 'SizeRestrictions_Body', 'body', bytesOver(8192)),
  core('SizeRestrictions_URIPATH', 'SizeRestrictions_URIPath', 'path', bytesOver(1024)),
  core('EC2MetaDataSSRF_BODY', 'EC2MetaDataSSRF_Body', 'body', metadata),
  core('EC2MetaDataSSRF_COOKIE', 'EC2MetaDataSSRF_Cookie', 'cookie', metadata),
  core('EC2MetaDataSSRF_URIPATH', 'EC2MetaDataSSRF_URIPath', 'path', metadata),
  core('EC2MetaDataSSRF_QUERYARGUMENTS', 'EC2MetaDataSSRF_QueryArguments', 'queryArguments', metadata),
  core('GenericLFI_QUERYARGUMENTS', 'GenericLFI_QueryArguments', 'queryArguments', traversal),
  core('GenericLFI_URIPATH', 'GenericLFI_URIPath', 'path', traversal),
  core('GenericLFI_BODY', 'GenericLFI_Body', 'body', traversal),
  core('RestrictedExtensions_URIPATH', 'RestrictedExtensions_URIPath', 'path', systemFile),
  core('RestrictedExtensions_QUERYARGUMENTS', 'RestrictedExtensions_QueryArguments', 'queryArguments', systemFile),
  core('GenericRFI_QUERYARGUMENTS', 'GenericRFI_QueryArguments', 'queryArguments', urlWithAddress),
  core('GenericRFI_BODY', 'GenericRFI_Body', 'body', urlWithAddress),
  core('GenericRFI_URIPATH', 'GenericRFI_URIPath', 'path', urlWithAddress),
  core('CrossSiteScripting_COOKIE', 'CrossSiteScripting_Cookie', 'cookie', script),
  core('CrossSiteScripting_QUERYARGUMENTS', 'CrossSiteScripting_QueryArguments', 'queryArguments', script),
  core('CrossSiteScripting_BODY', 'CrossSiteScripting_Body', 'body', script),
  core('CrossSiteScripting_URIPATH', 'CrossSiteScripting_URIPath', 'path', script),
  bad('JavaDeserializationRCE_HEADER', 'JavaDeserializationRCE_Header', 'headers', javaCall),
  bad('JavaDeserializationRCE_BODY', 'JavaDeserializationRCE_Body', 'body', javaCall),
  bad('JavaDeserializationRCE_URIPATH', 'JavaDeserializationRCE_URIPath', 'path', javaCall),
  bad('JavaDeserializationRCE_QUERYSTRING', 'JavaDeserializationRCE_QueryString', 'query', javaCall),
  bad('Host_localhost_HEADER', 'Host_Localhost_Header', 'host', showing(/localhost/)),
  bad('PROPFIND_METHOD', 'Propfind_Method', 'method', showing(/^PROPFIND$/)),
  bad('ExploitablePaths_URIPATH', 'ExploitablePaths_URIPath', 'path', showing(/web-inf/i)),
  bad('Log4JRCE_HEADER', 'Log4JRCE_Header', 'headers', jndi),
  bad('Log4JRCE_QUERYSTRING', 'Log4JRCE_QueryString', 'query', jndi),
  bad('Log4JRCE_BODY', 'Log4JRCE_Body', 'body', jndi),
  bad('Log4JRCE_URIPATH', 'Log4JRCE_URIPath', 'path', jndi),
  rule('amazon-ip-list', 'AWSManagedIPReputationList', 'AWSManagedIPReputationList', 'headers', listed),
  rule('amazon-ip-list', 'AWSManagedReconnaissanceList', 'AWSManagedReconnaissanceList', 'headers', listed),
];
