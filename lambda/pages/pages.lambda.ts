// The function that answers with the web page, in a stage without a distribution.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { requiredVariable } from '../required-variable.ts';
import { servePage } from './serve-page.ts';

const folder = join(import.meta.dirname, 'page');
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name));
const files = new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
const contentSecurityPolicy = requiredVariable(process.env, 'CONTENT_SECURITY_POLICY');

export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  return servePage(event, files, contentSecurityPolicy);
}
