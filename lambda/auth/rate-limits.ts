// How often an address may ask for what can be guessed, sent or filled up. Counted in Postgres, as there are many processes.

interface Rule {
  readonly windowSeconds: number;
  readonly requests: number;
}

const perMinute = (requests: number): Rule => ({ windowSeconds: 60, requests });

/** For what is not named below. */
const general = perMinute(100);

/** By path below better-auth's; `*` is any one part. */
const rules: Readonly<Record<string, Rule>> = {
  '/sign-in/*': perMinute(10),
  '/sign-up/*': perMinute(5),
  '/request-password-reset': perMinute(5),
  '/reset-password': perMinute(10),
  '/reset-password/*': perMinute(10),
  '/send-verification-email': perMinute(5),
  '/change-password': perMinute(10),
  '/verify-password': perMinute(10),
  '/oauth2/register': perMinute(10),
  '/oauth2/token': perMinute(60),
  '/oauth2/authorize': perMinute(60),
  '/oauth2/revoke': perMinute(60),
  '/oauth2/introspect': perMinute(60),
  '/account/api-keys/create': perMinute(20),
};

/** As better-auth takes them. @param factor multiplies the requests */
export function rateLimitRules(factor: number) {
  const toRule = ({ windowSeconds, requests }: Rule) => ({ window: windowSeconds, max: requests * factor });
  return {
    ...toRule(general),
    customRules: Object.fromEntries(Object.entries(rules).map(([path, rule]) => [path, toRule(rule)])),
  };
}
