// Starts every part of the local platform in order, waits for the end, and takes all of it down again.
import { createService } from '../../lambda/api/create-service.ts';
import { ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import type { Log } from '../../lambda/log.ts';
import { chooseEncoder } from '../../lambda/publisher/media/choose-encoder.ts';
import { measureMachine } from '../../lambda/publisher/media/measure-machine.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { agentsOn, capacityOf } from '../../lambda/domain/fleet/capacity.ts';
import { attemptSeconds } from '../../lambda/domain/notices/webhook-retries.ts';
import { createFolderMailer } from '../../lambda/ports/mailer/folder-mailer.ts';
import { graphqlPath } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import { mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { measures } from '../../lambda/telemetry/measures.ts';
import { observePool, observeProcess } from '../../lambda/telemetry/process-measures.ts';
import { startTelemetry } from '../../lambda/telemetry/telemetry.ts';
import { superviseAgents } from './agent-supervisor.ts';
import type { AgentSupervisor } from './agent-supervisor.ts';
import { localSettings } from '../../lambda/settings.ts';
import { allowPrivateAddresses, connectLocally } from './connections.ts';
import { telegramURL } from '../../lambda/webhooks/deliver-alerts.ts';
import { DataFolder } from './data-folder.ts';
import type { ConnectionFile } from './data-folder.ts';
import { makeDemo } from './demo.ts';
import { watchForEnd } from './ending.ts';
import type { Ending } from './ending.ts';
import { startJobs } from './jobs.ts';
import { ensureLocalAccount, localEmail } from './local-account.ts';
import { mostAgents } from './options.ts';
import type { LocalOptions } from './options.ts';
import { migrateAt, startDatabase } from './run-database.ts';
import { openRunLog } from './run-log.ts';
import { showSummary } from './run-summary.ts';
import { startRtmpSink } from './rtmp-sink/rtmp-sink.ts';
import type { RtmpSink } from './rtmp-sink/rtmp-sink.ts';
import { servePlatform } from './serve-platform.ts';
import { reserveSite } from './site.ts';
import type { ReservedSite } from './site.ts';
import { startSynthetic } from './synthetic.ts';
import { openTerminal } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/** What each step of the start works with. */
interface Run {
  readonly options: LocalOptions;
  readonly terminal: Terminal;
  readonly ending: Ending;
  /** What has been started. It is ended in the opposite order. */
  readonly started: AsyncDisposableStack;
}

const defaultPorts = { site: 3000, rtmp: 1935 };
/** What the smallest of NVIDIA's GPUs with an encoder was seen to encode: a stream at 2160p60. */
const oneGpuMegapixels = 500;
const clock = () => new Date();

/** @returns the exit code */
export async function runPlatform(options: LocalOptions): Promise<number> {
  const terminal = openTerminal(process.stdout);
  // Declared outside of `try`: what was started also ends where a later part fails to start.
  await using started = new AsyncDisposableStack();
  const ending = watchForEnd();
  try {
    await startPlatform({ options, terminal, ending, started });
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

/** Resolves when everything runs, the demo included. Rejects as soon as the end is asked for. */
async function startPlatform(run: Run): Promise<void> {
  const { options, terminal, ending, started } = run;
  const step: Terminal['step'] = (text, work) => {
    ending.throwIfAsked();
    return terminal.step(text, work);
  };

  const folder = await DataFolder.open(options.dataFolder, { fresh: options.fresh });
  const identity = await folder.identity();
  const { log, writeLine } = openRunLog(folder.logFile);
  const tools = await step('Looking for ffmpeg', () => findMediaTools(process.env));
  const databaseURL = await step('Starting Postgres', (onProgress) =>
    startDatabase({ folder, started, ending, log: writeLine, onProgress }),
  );
  const { site, sink } = await openPorts(run);
  const rtmpURL = rtmpURLAt(sink.port);
  await step('Migrating the database', () => migrateAt(databaseURL, folder.path));

  const local = {
    databaseURL,
    serviceSecret: identity.serviceSecret,
    masterKeyFile: folder.masterKeyFile,
    objectsFolder: folder.objects,
    siteURL: site.url,
  };
  const connections = await connectLocally({ ...local, youtubeFile: folder.youtubeFile }, 20, log);
  connections.youtube.useIngest(sink);
  started.defer(() => connections.pool.end());
  const { pool, sealer } = connections;
  await ensureSigningKey(pool, sealer, clock());
  const lastRtmpPort = await folder.lastRtmpPort();
  const formerRtmpURL = lastRtmpPort === null ? null : rtmpURLAt(lastRtmpPort);
  await ensureLocalAccount(pool, { ...identity, rtmpURL, formerRtmpURL, sealer, credits: options.credits });
  // The port is saved after the destinations have moved to it. If a run is killed between the two, the next run still
  // knows the address that the destinations name.
  await folder.saveRtmpPort(sink.port);

  const settings = { ...localSettings, allowPrivateAddresses, legacyRtmpURL: rtmpURL };
  const service = createService(connections, settings, log);
  const mailer = createFolderMailer({
    folder: folder.mails,
    clock,
    onMail: ({ to, subject }, file) => terminal.line(`  Mail to ${to}, “${subject}”: ${file}`),
  });
  let agentsAreThere: AgentSupervisor | null = null;
  const readMeasures = async () => (await agentsAreThere?.readMeasures()) ?? [];
  servePlatform(site, { service, connections, mailer, sink, rtmpURL, readMeasures, clock, log });
  observeProcess(measures);
  observePool(measures, pool);
  const telemetry = startTelemetry({ env: process.env, service: 'api', instanceID: `site_${process.pid}`, log });
  if (telemetry) started.use(telemetry);

  const encoder = await chooseEncoder(tools, 'h264', log);
  const machine = await measureMachine({ tools, encoder, networkMbps: null, gpuMegapixels: oneGpuMegapixels, log });
  const agents = options.agents ?? agentsOn(machine, mostAgents);
  const agentSettings = {
    ...local,
    ...tools,
    encoder,
    supervisor: identity.supervisor,
    capacity: capacityOf(machine, Math.max(1, agents)),
    legacyRtmpURL: rtmpURL,
  };
  const supervisor = await step('Starting the publisher', () =>
    superviseAgents(agents, { settings: agentSettings, pool, writeLog: writeLine, log }),
  );
  agentsAreThere = supervisor;
  started.defer(() => supervisor.stop());
  const jobs = startJobs(
    {
      ...connections,
      attempts: { allowPrivateAddresses, resolve: createNameResolver(), timeoutMs: attemptSeconds * 1000 },
      mailer,
      siteURL: site.url,
      telegramURL,
      steadyClock: () => performance.now(),
      random: Math.random,
      newID: (prefix: string) => newID(prefix, clock()),
      dailyUnits: { youtube: localSettings.youtubeDailyUnits },
      storage: localSettings,
      startOptions: { settings, newID: (prefix: string) => newID(prefix, clock()), random: Math.random },
      clock,
      log,
    },
    log,
  );
  started.use(jobs);

  const connection: ConnectionFile = {
    apiURL: service.baseURL,
    mcpURL: site.url + mcpPath,
    graphqlURL: site.url + graphqlPath,
    siteURL: site.url,
    authURL: site.url,
    rtmpURL,
    databaseURL,
    apiKey: identity.apiKey,
    user: { email: localEmail, password: identity.password },
    pid: process.pid,
  };
  await folder.writeConnection(connection);
  started.defer(() => folder.removeConnection());

  if (options.demo && !(await folder.isDemoMade())) {
    await step('Making the demo', async (onProgress) => {
      const made = makeDemo({
        ...connection,
        ffmpegPath: tools.ffmpegPath,
        mediaFolder: folder.demoMedia,
        onProgress,
      });
      const streamID = await Promise.race([made, ending.asked.then(() => null)]);
      if (streamID !== null) await folder.markDemoMade(streamID);
    }).catch((error: unknown) => reportDemoFailure(run, log, error));
  }
  ending.throwIfAsked();
  if (options.synthetic) {
    const watch = { pool, apiURL: service.baseURL, log, onLine: (text: string) => terminal.line(text) };
    started.use(startSynthetic(watch));
  }
  showSummary(terminal, { connection, logFile: folder.logFile });
}

/** Takes the ports of the site and of the RTMP ingest, and says where they are not the usual ones. */
async function openPorts({ options, terminal, started }: Run): Promise<{ site: ReservedSite; sink: RtmpSink }> {
  const sink = await startRtmpSink({ port: defaultPorts.rtmp }).catch(() => startRtmpSink({ port: 0 }));
  started.defer(() => sink.close());
  const site = await reserveSite({ port: options.port ?? defaultPorts.site, fallsBack: options.port === null });
  started.defer(() => site.close());
  if (options.port === null && site.port !== defaultPorts.site)
    terminal.line(`  Port ${defaultPorts.site} is taken: the site is on ${site.port}.`);
  if (sink.port !== defaultPorts.rtmp)
    terminal.line(`  Port ${defaultPorts.rtmp} is taken: the RTMP ingest is on ${sink.port}.`);
  return { site, sink };
}

/** @throws if the demo was not made because the run is ending; a platform without a demo goes on */
function reportDemoFailure({ ending, terminal }: Run, log: Log, error: unknown): void {
  ending.throwIfAsked();
  log('demo_failed', { error });
  terminal.line(`  The demo could not be made; everything else works. ${String(error)}`);
}

function rtmpURLAt(port: number): string {
  return `rtmp://127.0.0.1:${port}/live`;
}
