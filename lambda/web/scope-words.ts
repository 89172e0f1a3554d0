// Describes in plain words the permissions that each scope gives to an application.
import { scopes } from '../operations/scopes.ts';

const identityScopes: Readonly<Record<string, string>> = {
  openid: 'Know which user you are',
  profile: 'See your name',
  email: 'See your e-mail address',
  offline_access: 'Stay connected until you disconnect it',
};

export function scopeWords(scope: string): string {
  return { ...identityScopes, ...scopes }[scope] ?? scope;
}
