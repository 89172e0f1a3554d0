// The rate limits of an IP address at the endpoints of sign-in and OAuth.
// They prevent guessing of passwords, floods of mails and filling of tables. Postgres counts the calls of all
// processes.

interface Rule {
  readonly windowSeconds: number;
  readonly requests: number;
}

const perMinute = (requests: number): Rule => ({ windowSeconds: 60, requests });

/** The limit of paths without a rule. */
const general = perMinute(100);

/** The rules by path, below better-auth's base path. A `*` matches any one segment. */
const rules: Readonly<Record<string, Rule>> = {
  '/sign-in/*': perMinute(10),
  '/sign-up/*': perMinute(5),
  '/request-password-reset': perMinute(5),
  '/reset-password': perMinute(10),
  '/send-verification-email': perMinute(5),
  '/change-password': perMinute(10),
  '/verify-password': perMinute(10),
  '/oauth2/register': perMinute(10),
  '/oauth2/token': perMinute(60),
  '/oauth2/authorize': perMinute(60),
  '/oauth2/revoke': perMinute(60),
  '/oauth2/introspect': perMinute(60),
  '/device/code': perMinute(10),
  '/device/*': perMinute(20),
  '/account/api-keys/create': perMinute(20),
};

/** The codes of devices that a user may enter, from any address. */
export const attemptsPerUser: Rule = { windowSeconds: 3600, requests: 30 };

/** The rules in better-auth's format. @param factor multiplies the number of requests */
export function rateLimitRules(factor: number) {
  const toRule = ({ windowSeconds, requests }: Rule) => ({ window: windowSeconds, max: requests * factor });
  return {
    ...toRule(general),
    customRules: Object.fromEntries(Object.entries(rules).map(([path, rule]) => [path, toRule(rule)])),
  };
}
