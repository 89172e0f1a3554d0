// Differences between platforms in OAuth.

/** Our client at a platform. */
export interface OAuthClient {
  readonly clientID: string;
  readonly clientSecret: string;
  readonly clock: () => Date;
}

export interface OAuthDialect extends OAuthClient {
  readonly endpoints: { readonly authorize: string; readonly token: string; readonly revoke: string };
  readonly scopes: readonly string[];
  /** Further parameters of the consent page. */
  readonly authorizeParameters: Readonly<Record<string, string>>;
  /** Whether the platform documents PKCE. Others may refuse unknown parameters. */
  readonly hasPKCE: boolean;
}
