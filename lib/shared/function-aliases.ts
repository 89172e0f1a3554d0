// Packages with features that a Lambda function cannot use, and their replacements in bundles.
import { join } from 'node:path';

const credentials = join(import.meta.dirname, 'function-credentials.mjs');

export const functionAliases: Readonly<Record<string, string>> = {
  // A function has its credentials in its environment. It needs no sign-in, no role to assume, no machine metadata.
  '@aws-sdk/credential-provider-node': credentials,
  '@aws-sdk/credential-providers': credentials,
  // Functions have no such file: each connection has its password.
  pgpass: join(import.meta.dirname, 'no-password-file.mjs'),
  '@better-auth/telemetry': join(import.meta.dirname, 'no-telemetry.mjs'),
  '@modelcontextprotocol/server/_shims': join(import.meta.dirname, '../../lambda/surfaces/mcp/form-checks.ts'),
};
