// Starts every part of the local platform in order, waits for the end, and stops all parts.
import { pathToFileURL } from 'node:url';
import { createRestService } from '../../lambda/api/create-rest-service.ts';
import { createChangeTurns } from './change-turns.ts';
import { ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import type { Log } from '../../lambda/log.ts';
import { chooseEncoder } from '../../lambda/publisher/media/choose-encoder.ts';
import { measureMachine } from '../../lambda/publisher/media/measure-machine.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { agentsInMemory, agentsOn, capacityOf } from '../../lambda/domain/fleet/capacity.ts';
import { attemptSeconds } from '../../lambda/domain/notices/webhook-retries.ts';
import { createFolderMailer } from '../../lambda/ports/mailer/folder-mailer.ts';
import { graphqlPath } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import { mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { measures } from '../../lambda/telemetry/measures.ts';
import { observePool, observeProcess } from '../../lambda/telemetry/process-measures.ts';
import { startTelemetry } from '../../lambda/telemetry/telemetry.ts';
import type { Pool } from 'pg';
import type { AgentSettings } from './agent-environment.ts';
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
import { mostUsualAgents } from './options.ts';
import type { LocalOptions } from './options.ts';
import { checkConnections, migrateAt, startDatabase } from './run-database.ts';
import { agentConnections, connectionsOfRun, siteConnections } from './database-connections.ts';
import { localPlaces } from '../../lambda/domain/live/ingest-places.ts';
import { startLiveIngest } from './live-ingest.ts';
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

/** The context of the start steps. */
interface Run {
  readonly options: LocalOptions;
  readonly terminal: Terminal;
  readonly ending: Ending;
  /** The started parts, which are stopped in the opposite order. */
  readonly started: AsyncDisposableStack;
}

const defaultPorts = { site: 3000, rtmp: 1935 };
/** Measured for the smallest NVIDIA GPU with an encoder: a stream at 2160p60. */
const oneGpuMegapixels = 500;
const clock = () => new Date();

/** @returns the exit code */
export async function runPlatform(options: LocalOptions): Promise<number> {
  const terminal = openTerminal(process.stdout);
  // Declared outside of `try`, so that the started parts are stopped even if a later part fails to start.
  await using started = new AsyncDisposableStack();
  const ending = watchForEnd();
  try {
    await startPlatform({ options, terminal, ending, started });
    await ending.asked;
    ending.throwIfAsked();
    return 0;
  } catch (error) {
    if (ending.signal.aborted && (error as Error).name === 'AbortError') {
      terminal.line('Ending everything …');
      return 0;
    }
    terminal.line(`\n${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

/** Runs a step of the start, unless the end has been requested. */
function stepOf({ terminal, ending }: Run): Terminal['step'] {
  return (text, work) => {
    ending.throwIfAsked();
    return terminal.step(text, work);
  };
}

/** Resolves when all parts run, including the demo. Rejects as soon as the end is requested. */
async function startPlatform(run: Run): Promise<void> {
  const { options, terminal, ending, started } = run;
  const surroundings = await openSurroundings(run);
  const { folder, identity, log, databaseURL, site, sink } = surroundings;
  const rtmpURL = rtmpURLAt(sink.port);
  const local = {
    databaseURL,
    serviceSecret: identity.serviceSecret,
    masterKeyFile: folder.masterKeyFile,
    objectsFolder: folder.objects,
    siteURL: site.url,
  };
  const connections = await connectLocally({ ...local, youtubeFile: folder.youtubeFile }, siteConnections, log);
  started.defer(() => connections.pool.end());
  connections.youtube.useIngest(sink);
  const { pool, objects, liveSealer: sealer } = connections;
  await prepareAccount(connections, surroundings, options);

  const { tools, encoder, machine } = surroundings;
  const live = started.use(await startLiveIngest({ pool, objects, sealer, tools, encoder, cores: machine.cores, log }));
  const liveIngest = {
    rtmpURL: live.rtmpURL,
    srtURL: live.srtURL,
    ...('preset' in encoder && { cores: machine.cores, coresOfUnfunded: localPlaces(machine.cores).ofUnfunded }),
  };
  const settings = { ...localSettings, allowPrivateAddresses, legacyRtmpURL: rtmpURL, liveIngest };
  const service = { ...createRestService(connections, settings, log), inTurn: createChangeTurns() };
  const mailer = createFolderMailer({
    folder: folder.mails,
    clock,
    onMail: ({ to, subject }, text, html) =>
      terminal.line(`  Mail to ${to}, “${subject}”: ${text}\n    as users see it: ${pathToFileURL(html).href}`),
  });
  let agentsAreThere: AgentSupervisor | null = null;
  const readMeasures = async () => (await agentsAreThere?.readMeasures()) ?? [];
  servePlatform(site, { service, connections, mailer, sink, rtmpURL, readMeasures, clock, log });
  observeProcess(measures);
  observePool(measures, pool);
  const telemetry = startTelemetry({ env: process.env, service: 'api', instanceID: `site_${process.pid}`, log });
  if (telemetry) started.use(telemetry);

  agentsAreThere = await startAgents(run, surroundings, { ...local, legacyRtmpURL: rtmpURL }, pool);
  started.use(
    startJobs(
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
    ),
  );
  const connection = await writeConnection(run, surroundings, service.baseURL, live);
  await makeDemoOnce(run, surroundings, connection);
  ending.throwIfAsked();
  if (options.synthetic) {
    const watch = { pool, apiURL: service.baseURL, log, onLine: (text: string) => terminal.line(text) };
    started.use(startSynthetic(watch));
  }
  showSummary(terminal, { connection, logFile: folder.logFile });
}

type Surroundings = Awaited<ReturnType<typeof openSurroundings>>;

/** Opens the surroundings of the platform: its folder and log, ffmpeg, the migrated database, and its ports. */
async function openSurroundings(run: Run) {
  const { options, ending, started } = run;
  const step = stepOf(run);
  const folder = await DataFolder.open(options.dataFolder, { fresh: options.fresh });
  const identity = await folder.identity();
  const { log, writeLine } = openRunLog(folder.logFile);
  const tools = await step('Looking for ffmpeg', () => findMediaTools(process.env));
  const encoder = await chooseEncoder(tools, 'h264', log);
  const machine = await measureMachine({ tools, encoder, networkMbps: null, gpuMegapixels: oneGpuMegapixels, log });
  const agents = options.agents ?? agentsOn(machine, mostUsualAgents);
  const mostInMemory = agentsInMemory(machine);
  if (agents > mostInMemory)
    throw new Error(
      `${agents} agents need more memory than this machine's ${machine.memoryMiB} MiB: none would take a stream. ` +
        `Start with --agents ${mostInMemory} at most.`,
    );
  const databaseURL = await step('Starting Postgres', (onProgress) =>
    startDatabase({
      folder,
      connections: connectionsOfRun(agents),
      started,
      ending,
      log: writeLine,
      onProgress,
    }),
  );
  const ports = await openPorts(run);
  await step('Migrating the database', () => migrateAt(databaseURL, folder.path));
  await checkConnections(databaseURL, agents);
  return { folder, identity, log, writeLine, tools, encoder, machine, agents, databaseURL, ...ports };
}

/** Creates the local user's account, and moves its destination to the port of this run. */
async function prepareAccount(
  { pool, sealer }: Pick<Awaited<ReturnType<typeof connectLocally>>, 'pool' | 'sealer'>,
  { folder, identity, sink }: Surroundings,
  { credits }: LocalOptions,
): Promise<void> {
  await ensureSigningKey(pool, sealer, clock());
  const lastRtmpPort = await folder.lastRtmpPort();
  const formerRtmpURL = lastRtmpPort === null ? null : rtmpURLAt(lastRtmpPort);
  await ensureLocalAccount(pool, { ...identity, rtmpURL: rtmpURLAt(sink.port), formerRtmpURL, sealer, credits });
  // The port is saved after the destinations have moved to it. If a run is killed in between, the next run still knows
  // the address of the destinations.
  await folder.saveRtmpPort(sink.port);
}

async function startAgents(
  run: Run,
  { identity, log, writeLine, tools, encoder, machine, agents }: Surroundings,
  local: Omit<AgentSettings, keyof typeof tools | 'encoder' | 'supervisor' | 'capacity' | 'connections'>,
  pool: Pool,
): Promise<AgentSupervisor> {
  const capacity = capacityOf(machine, Math.max(1, agents));
  const connections = agentConnections(agents);
  const settings = { ...local, ...tools, encoder, supervisor: identity.supervisor, capacity, connections };
  const supervisor = await stepOf(run)('Starting the publisher', () =>
    superviseAgents(agents, { settings, pool, writeLog: writeLine, log }),
  );
  run.started.defer(() => supervisor.stop());
  return supervisor;
}

/** Writes the file that other programs need to use the run. */
async function writeConnection(
  { started }: Run,
  { folder, identity, databaseURL, site, sink }: Surroundings,
  apiURL: string,
  live: { readonly rtmpURL: string; readonly srtURL: string },
): Promise<ConnectionFile> {
  const connection: ConnectionFile = {
    apiURL,
    mcpURL: site.url + mcpPath,
    graphqlURL: site.url + graphqlPath,
    siteURL: site.url,
    authURL: site.url,
    rtmpURL: rtmpURLAt(sink.port),
    liveURL: live.rtmpURL,
    liveSrtURL: live.srtURL,
    databaseURL,
    apiKey: identity.apiKey,
    user: { email: localEmail, password: identity.password },
    pid: process.pid,
  };
  await folder.writeConnection(connection);
  started.defer(() => folder.removeConnection());
  return connection;
}

/** @throws if the run is ending */
async function makeDemoOnce(run: Run, { folder, tools, log }: Surroundings, connection: ConnectionFile): Promise<void> {
  if (!run.options.demo || (await folder.isDemoMade())) return;
  await stepOf(run)('Making the demo', async (onProgress) => {
    const made = makeDemo({ ...connection, ffmpegPath: tools.ffmpegPath, mediaFolder: folder.demoMedia, onProgress });
    const streamID = await Promise.race([made, run.ending.asked.then(() => null)]);
    if (streamID !== null) await folder.markDemoMade(streamID);
  }).catch((error: unknown) => reportDemoFailure(run, log, error));
}

/** Opens the ports of the site and of the RTMP ingest, and prints them if they are not the usual ones. */
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

/** @throws if the run is ending, which stopped the demo; otherwise the platform runs without a demo */
function reportDemoFailure({ ending, terminal }: Run, log: Log, error: unknown): void {
  ending.throwIfAsked();
  log('demo_failed', { error });
  terminal.line(`  The demo could not be made; everything else works. ${String(error)}`);
}

function rtmpURLAt(port: number): string {
  return `rtmp://127.0.0.1:${port}/live`;
}
