// Which e-mail addresses lead to the same inbox: free credits are for an inbox, and sign-in is not concerned by this.

interface Provider {
  /** All names of the provider: the same local part is the same inbox at each. The first stands for all. */
  readonly domains: readonly [string, ...string[]];
  /** The characters of the local part that the provider passes over. */
  readonly ignores?: RegExp;
}

/** As the providers' own help pages have it. Others keep dots apart. */
const providers: readonly Provider[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignores: /\./g },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignores: /[._-]/g },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['yandex.com', 'yandex.ru', 'yandex.by', 'yandex.kz', 'ya.ru'] },
];

/** One spelling for all e-mail addresses of one inbox: in lower case, without a tag and without what is passed over. */
export function inboxOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split(/@(?=[^@]*$)/);
  const provider = providers.find(({ domains }) => domains.includes(domain.replace(/\.$/, '')));
  const [untagged = ''] = local.split('+');
  const name = provider?.ignores ? untagged.replaceAll(provider.ignores, '') : untagged;
  return `${name}@${provider?.domains[0] ?? domain}`;
}
