// The validator for answers to forms.
// This server sends no forms, and the default validator of the package would bring ajv, which is 150 KB. Bundles
// replace the default with this one (`lib/shared/function-aliases.ts`).
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator };
