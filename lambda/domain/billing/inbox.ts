// Inboxes behind e-mail addresses: free credits are given once for an inbox. Sign-in does not use this rule.

interface Provider {
  /** All domains of the provider; a local part leads to one inbox at all of them. The first stands for all. */
  readonly domains: readonly [string, ...string[]];
  /** Characters that the provider ignores in the local part. */
  readonly ignores?: RegExp;
}

/** Rules from the providers' help pages. Other providers distinguish dots. */
const providers: readonly Provider[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignores: /\./g },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignores: /[._-]/g },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['yandex.com', 'yandex.ru', 'yandex.by', 'yandex.kz', 'ya.ru'] },
];

/** One spelling for all e-mail addresses of an inbox: lower case, without tag and ignored characters. */
export function inboxOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split(/@(?=[^@]*$)/);
  const provider = providers.find(({ domains }) => domains.includes(domain.replace(/\.$/, '')));
  const [untagged = ''] = local.split('+');
  const name = provider?.ignores ? untagged.replaceAll(provider.ignores, '') : untagged;
  return `${name}@${provider?.domains[0] ?? domain}`;
}
