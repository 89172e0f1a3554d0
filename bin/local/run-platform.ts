// Starts every part of the local platform in order, waits for the end, and takes all of it down again.
import { createWriteStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createService } from '../../lambda/api/create-service.ts';
import { createAuthHandler } from '../../lambda/auth/auth-handler.ts';
import { ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import { createPool } from '../../lambda/data/queryable.ts';
import { withPaymentCallbacks } from '../../lambda/api/payment-callbacks.ts';
import type { Log } from '../../lambda/log.ts';
import { guidance } from '../../lambda/mcp/guidance.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { chooseEncoder } from '../../lambda/publisher/media/choose-encoder.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { newID } from '../../lambda/data/new-id.ts';
import { attemptSeconds } from '../../lambda/domain/webhook-retries.ts';
import { createFolderMailer } from '../../lambda/ports/mailer/folder-mailer.ts';
import { createGraphqlHandler, graphqlPath } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { schemaText } from '../../lambda/surfaces/graphql/schema.ts';
import { resolveBySystem } from '../../lambda/ports/outbound/checked-lookup.ts';
import { createMcpHandler, mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { createRestHandler } from '../../lambda/surfaces/rest.ts';
import { superviseAgents } from './agent-supervisor.ts';
import { connectLocally, localSettings } from './connections.ts';
import { DataFolder } from './data-folder.ts';
import { makeDemo } from './demo.ts';
import { watchForEnd } from './ending.ts';
import { createGraphqlPage } from './graphql-page/page.ts';
import { startJobs } from './jobs.ts';
import { ensureLocalAccount, localEmail } from './local-account.ts';
import type { LocalOptions } from './options.ts';
import { createPaymentPages } from './payment-pages.ts';
import { startPostgres } from './postgres.ts';
import { startRtmpSink } from './rtmp-sink/rtmp-sink.ts';
import { reserveSite } from './site.ts';
import { openTerminal } from './terminal.ts';

const defaultPorts = { site: 3000, rtmp: 1935, postgres: 54_320 };
/** Slots are 720p30 streams. More than the cores can encode at once, so that what is too much shows as slow rather than as refused. */
const slotsPerCore = 8;

/** @returns the exit code */
export async function runPlatform(options: LocalOptions): Promise<number> {
  const terminal = openTerminal(process.stdout);
  // Taken down in the opposite order, whether the start got to its end or not.
  await using parts = new AsyncDisposableStack();
  const ending = watchForEnd();
  const step: typeof terminal.step = (text, work) => {
    ending.throwIfAsked();
    return terminal.step(text, work);
  };
  try {
    const folder = await DataFolder.open(options.dataFolder, options.fresh);
    const identity = await folder.identity();
    const logFile = createWriteStream(join(folder.path, 'platform.log'), { flags: 'w', mode: 0o600 });
    const writeLog = (line: string) => void logFile.write(`${line}\n`);
    const log: Log = (event, fields) =>
      writeLog(
        JSON.stringify({ at: new Date().toISOString(), event, ...fields }, (_, value) =>
          value instanceof Error ? value.stack : value,
        ),
      );

    const tools = await step('Looking for ffmpeg', () => findMediaTools(process.env));
    const databaseURL = await step('Starting Postgres', async (progress) => {
      const ownURL = process.env['DATABASE_URL'];
      if (ownURL) return ownURL;
      const postgres = await startPostgres({
        durable: true,
        dataFolder: folder.postgres,
        port: defaultPorts.postgres,
        log: writeLog,
        onProgress: progress,
      });
      parts.defer(() => postgres.stop());
      void postgres.exited.then(() =>
        ending.fail(
          new Error(
            `Postgres ended by itself; the end of ${join(folder.path, 'platform.log')} says why. Start again: nothing is lost.`,
          ),
        ),
      );
      return postgres.url;
    });
    const sink = await startRtmpSink({ port: defaultPorts.rtmp }).catch(() => startRtmpSink({ port: 0 }));
    parts.defer(() => sink.close());
    const site = await reserveSite(options.port ?? defaultPorts.site, options.port !== null);
    parts.defer(() => site.close());
    if (options.port === null && site.port !== defaultPorts.site)
      terminal.line(`  Port ${defaultPorts.site} is taken: the site is on ${site.port}.`);
    if (sink.port !== defaultPorts.rtmp)
      terminal.line(`  Port ${defaultPorts.rtmp} is taken: the RTMP ingest is on ${sink.port}.`);
    const rtmpURL = rtmpURLAt(sink.port);

    await step('Migrating the database', () => migrateAt(databaseURL));
    const local = {
      databaseURL,
      serviceSecret: identity.serviceSecret,
      masterKeyFile: folder.masterKeyFile,
      objectsFolder: folder.objects,
      siteURL: site.url,
    };
    const connections = await connectLocally(local, 20, log);
    parts.defer(() => connections.pool.end());
    const clock = () => new Date();
    await ensureSigningKey(connections.pool, connections.sealer, clock());
    const lastRtmpPort = await folder.lastRtmpPort();
    const formerRtmpURL = lastRtmpPort === null ? null : rtmpURLAt(lastRtmpPort);
    await ensureLocalAccount(connections.pool, { ...identity, rtmpURL, formerRtmpURL, sealer: connections.sealer });
    // Only now: a run killed before would leave destinations at an address that nobody remembers.
    await folder.saveRtmpPort(sink.port);

    const settings = { ...localSettings, legacyRtmpURL: rtmpURL };
    const service = createService(connections, settings, log);
    const mailer = createFolderMailer({
      folder: folder.mails,
      clock,
      onMail: ({ to, subject }, file) => terminal.line(`  Mail to ${to}, “${subject}”: ${file}`),
    });
    const auth = createAuthHandler({
      ...connections,
      mailer,
      rateLimitFactor: localSettings.rateLimitFactor,
      clock,
      log,
    });
    const rest = withPaymentCallbacks(createRestHandler(service), connections, connections.pool, log);
    const mcp = createMcpHandler(service, guidance);
    const graphql = createGraphqlHandler(service);
    const graphqlPage = createGraphqlPage(schemaText(service.operations));
    site.serve({
      rest,
      mcp,
      graphql,
      graphqlPage,
      auth,
      paymentPages: createPaymentPages(connections, site.url),
      objects: connections.objects,
      sink,
      rtmpURL,
      log,
    });

    const encoder = await chooseEncoder(tools, 'h264', log);
    const slots = availableParallelism() * slotsPerCore;
    const agentSettings = {
      ...local,
      ...tools,
      encoder,
      supervisor: identity.supervisor,
      slots,
      legacyRtmpURL: rtmpURL,
    };
    const supervisor = await step('Starting the publisher', () =>
      superviseAgents(options.agents, { settings: agentSettings, pool: connections.pool, writeLog, log }),
    );
    parts.defer(() => supervisor.stop());
    const starting = { settings, newID: (prefix: string) => newID(prefix, new Date()), random: Math.random };
    const attempts = { ...localSettings, resolve: resolveBySystem, timeoutMs: attemptSeconds * 1000 };
    const telling = {
      attempts,
      mailer,
      siteURL: site.url,
      steadyClock: () => performance.now(),
      random: Math.random,
      log,
    };
    parts.use(startJobs({ ...connections, ...telling, starting, clock }, log));

    const user = { email: localEmail, password: identity.password };
    await folder.writeConnection({
      apiURL: service.baseURL,
      mcpURL: site.url + mcpPath,
      graphqlURL: site.url + graphqlPath,
      siteURL: site.url,
      authURL: site.url,
      rtmpURL,
      databaseURL,
      apiKey: identity.apiKey,
      user,
      pid: process.pid,
    });
    parts.defer(() => folder.removeConnection());

    if (options.demo && !(await folder.isDemoMade())) {
      await step('Making the demo', async (progress) => {
        const demo = {
          apiURL: service.baseURL,
          apiKey: identity.apiKey,
          rtmpURL,
          ffmpegPath: tools.ffmpegPath,
          mediaFolder: folder.demoMedia,
        };
        const made = makeDemo({ ...demo, onProgress: progress });
        const streamID = await Promise.race([made, ending.asked.then(() => null)]);
        if (streamID !== null) await folder.markDemoMade(streamID);
      }).catch((error: unknown) => {
        ending.throwIfAsked();
        log('demo_failed', { error });
        terminal.line(`  The demo could not be made; everything else works. ${String(error)}`);
      });
    }
    ending.throwIfAsked();
    terminal.table([
      ['Watch', site.url],
      ['Sign in', `${site.url}/sign-in  (${user.email}, ${user.password})`],
      ['API', service.baseURL],
      ['MCP', site.url + mcpPath],
      ['GraphQL', `${site.url}${graphqlPath}  (in a browser: a page to try it)`],
      ['API key', identity.apiKey],
      ['RTMP ingest', `${rtmpURL}  (any stream key)`],
      ['Reference', `${service.baseURL}/reference`],
      ['Log', join(folder.path, 'platform.log')],
    ]);
    terminal.line(nextSteps(service.baseURL, identity.apiKey));
    await ending.asked;
    ending.throwIfAsked();
    return 0;
  } catch (error) {
    if (ending.signal.aborted && (error as Error).name === 'AbortError') {
      terminal.line('Ending everything that was started …');
      return 0;
    }
    terminal.line(`\n${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

async function migrateAt(databaseURL: string): Promise<void> {
  const pool = createPool({ connectionString: databaseURL, max: 1 });
  try {
    await migrate(pool);
  } finally {
    await pool.end();
  }
}

function rtmpURLAt(port: number): string {
  return `rtmp://127.0.0.1:${port}/live`;
}

function nextSteps(apiURL: string, apiKey: string): string {
  return `
Next steps (README.md has the whole first upload):
  curl ${apiURL}/streams -H 'X-API-Key: ${apiKey}'
  curl ${apiURL}/uploads -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' -d '{"name":"mine.mp4","mimeType":"video/mp4"}'

Ctrl-C ends it; what you made stays.`;
}
