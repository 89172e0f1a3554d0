// What is a platform's own in OAuth.

export interface OAuthDialect {
  readonly clientID: string;
  readonly clientSecret: string;
  readonly endpoints: { readonly authorize: string; readonly token: string; readonly revoke: string };
  readonly scopes: readonly string[];
  /** What the consent page is told besides. */
  readonly authorizeParameters: Readonly<Record<string, string>>;
  /** Whether the platform documents PKCE. One that does not may refuse parameters that it does not know. */
  readonly hasPKCE: boolean;
  readonly clock: () => Date;
}
