// What checks the answers of forms. The server asks none, and the package would bring ajv for it, which is 150 KB.
// Bundles have this in place of the package's own choice (`lib/shared/function-aliases.ts`).
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator };
