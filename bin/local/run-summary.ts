// The summary of a run on the terminal once all parts are up: addresses, secrets, and next steps.
import { graphqlPath } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import type { ConnectionFile } from './data-folder.ts';
import type { Terminal } from './terminal.ts';

export interface SummaryOptions {
  readonly connection: ConnectionFile;
  readonly logFile: string;
}

export function showSummary(terminal: Terminal, { connection, logFile }: SummaryOptions): void {
  const { siteURL, apiURL, rtmpURL, liveURL, liveSrtURL, apiKey, user } = connection;
  terminal.table([
    ['Open', siteURL],
    ['Sign in', `${siteURL}/sign-in  (${user.email}, ${user.password})`],
    ['Watch the ingest', `${siteURL}/watch`],
    ['API', apiURL],
    ['MCP', siteURL + mcpPath],
    ['GraphQL', `${siteURL}${graphqlPath}  (in a browser: a page to try it)`],
    ['API key', apiKey],
    ['RTMP ingest', `${rtmpURL}  (any stream key)`],
    ['Live ingest', `${liveURL}  (keys of live inputs: a stream's page, “Live”)`],
    ['Live ingest, SRT', `${liveSrtURL}  (the key is the stream ID)`],
    ['Reference', `${apiURL}/reference`],
    ['Log', logFile],
  ]);
  const json = `-H 'Content-Type: application/json' -d '{"name":"mine.mp4","mimeType":"video/mp4"}'`;
  terminal.line(`
Next steps (README.md has the whole first upload):
  curl ${apiURL}/streams -H 'X-API-Key: ${apiKey}'
  curl ${apiURL}/uploads -H 'X-API-Key: ${apiKey}' ${json}

Ctrl-C ends everything; your data stays.`);
}
