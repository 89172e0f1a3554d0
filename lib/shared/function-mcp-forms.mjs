// What the bundle of MCP has instead of ajv, which is 150 KB: the server asks no forms, so it has no answers to check.
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
