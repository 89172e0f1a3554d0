// What a Lambda function's bundle has in place of packages that do more than a function can use.
import { join } from 'node:path';

const credentials = join(import.meta.dirname, 'function-credentials.mjs');

/** Sign-in, roles to assume and machines' metadata have no use in a function: its credentials are in its environment. */
export const functionAliases: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': credentials,
  '@aws-sdk/credential-providers': credentials,
};
