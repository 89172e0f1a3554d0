// Describes in plain words the permissions that each scope gives to an application.
import { scopesWords } from '#words/account.ts';

const known: Readonly<Record<string, string>> = { ...scopesWords.ofIdentity, ...scopesWords.ofService };

export function scopeWords(scope: string): string {
  return known[scope] ?? scope;
}
