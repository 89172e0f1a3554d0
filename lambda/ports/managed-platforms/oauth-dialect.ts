// Differences between platforms in OAuth.

export interface OAuthDialect {
  readonly clientID: string;
  readonly clientSecret: string;
  readonly endpoints: { readonly authorize: string; readonly token: string; readonly revoke: string };
  readonly scopes: readonly string[];
  /** Further parameters of the consent page. */
  readonly authorizeParameters: Readonly<Record<string, string>>;
  /** Whether the platform documents PKCE. Others may refuse unknown parameters. */
  readonly hasPKCE: boolean;
  readonly clock: () => Date;
}
