// The commands of `loop`, their arguments and their options.
import { readFile } from 'node:fs/promises';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { Stream } from '../../lambda/web/app/types.ts';
import { allScopes } from '../../lambda/operations/scopes.ts';
import { findAccess, findAddress } from './access.ts';
import { createClient } from './client.ts';
import type { Client, Method } from './client.ts';
import { completionOf, shells } from './completion.ts';
import type { Shell } from './completion.ts';
import { exitCodes, exitCodeWords, LoopFailure } from './failure.ts';
import type { FailureKind } from './failure.ts';
import { signInFile, uploadsFolder } from './kept-files.ts';
import { readMediaFile } from './media-folder.ts';
import { findStream } from './named-things.ts';
import { startAndWait } from './on-air.ts';
import { playNext } from './play-next.ts';
import { prove, spend, status, timeline, timelineRows, titleOf } from './stream-answers.ts';
import { tail } from './tail.ts';
import { askSecret, createPrinter, localTime } from './terminal.ts';
import type { Printer } from './terminal.ts';
import { sendAll, up } from './up.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Options = Readonly<Record<string, string | number | boolean | undefined>>;

const defaultTimeoutSeconds = 600;
const codes = Object.entries(exitCodes).map(([kind, code]) => `  ${code}  ${exitCodeWords[kind as FailureKind]}`);
const epilogue = `
A STREAM is a name or an id; without it, the only stream. FOLDER and FILE are paths here.
The platform: LOOP_API_URL and LOOP_API_KEY, else the sign-in, else the \`npm start\` that runs in this folder.

Exit codes:
  0  done
${codes.join('\n')}`;

export function createProgram(environment: Environment): Command {
  const program = new Command('loop')
    .description('Streams files around the clock: uploads them, starts streams, follows them.')
    .addHelpText('after', epilogue)
    .showHelpAfterError('Try: loop --help')
    .exitOverride();
  const connect = async () => createClient(await findAccess(environment));
  addSignIn(program, environment);
  addMaking(program, environment, connect);
  addControl(program, environment, connect);
  addAnswers(program, connect);
  addChannel(program, environment, connect);
  define(program, 'api', 'call any operation of the API, and print its answer')
    .addArgument(new Argument('<method>').choices(['GET', 'POST', 'PATCH', 'DELETE']))
    .argument('<path>', 'below /v1, such as /streams')
    .argument('[body]', 'JSON; -: from stdin, as secrets should be')
    .option('--field <path>', 'print only this part of the answer, such as data.0.id')
    .action(async (method: Method, path: string, body: string | undefined, options: Options) => {
      const given = body === '-' ? await readSecret('Body', 'Send it to stdin.') : body;
      const answer = await (await connect()).call<unknown>(method, path, given === undefined ? undefined : json(given));
      const part = text(options['field'])?.split('.').reduce(memberOf, answer) ?? answer;
      console.log(typeof part === 'string' ? part : (JSON.stringify(part, null, 2) ?? ''));
    });
  define(program, 'completion', 'print the completion of a shell: source <(loop completion bash)')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => console.log(completionOf(program, shell)));
  return program;
}

function define(program: Command, name: string, summary: string): Command {
  return program.command(name).description(summary).option('--json', 'print JSON, for programs');
}

const printerOf = (options: Options): Printer => createPrinter(options['json'] === true);

function addSignIn(program: Command, environment: Environment): void {
  // Only these commands need the library of OAuth.
  const signIn = () => import('./login.ts');
  define(program, 'login', 'sign in, by a code that you confirm in a browser, or by a key')
    .option('--url <address>', 'address of the platform, such as https://HOST')
    .option('--with-key', 'read an API key from stdin, or ask for it')
    .addOption(new Option('--scope <scopes...>', 'permissions to ask for').choices(allScopes).default(allScopes))
    .action(async (options: Options & { scope: readonly string[] }) => {
      const { apiURLOf, loginByDevice, loginByKey } = await signIn();
      const apiURL = options['url'] ? apiURLOf(String(options['url'])) : await findAddress(environment);
      const file = signInFile(environment);
      const printer = printerOf(options);
      const email = options['withKey']
        ? await loginByKey(apiURL, await readSecret('API key', 'Send it to stdin.'), file)
        : await loginByDevice(apiURL, options.scope.join(' '), file, printer);
      printer.answer({ apiURL, email }, { lines: [`You are signed in at ${apiURL} as ${email}.`] });
    });
  define(program, 'logout', 'forget the sign-in, here and at the platform').action(async (options: Options) => {
    const { logout } = await signIn();
    const apiURL = await logout(signInFile(environment));
    const lines = [apiURL === null ? 'There was no sign-in here.' : `You are signed out of ${apiURL}.`];
    printerOf(options).answer({ apiURL }, { lines });
  });
}

function addMaking(program: Command, environment: Environment, connect: () => Promise<Client>): void {
  const folder = uploadsFolder(environment);
  withTimeout(define(program, 'up', 'put the files of a folder live; run again, it continues, and adds what is new'))
    .argument('<folder>', 'videos, or pictures and songs')
    .option('--to <destination>', 'name, id, platform or address; default: the only destination')
    .option(
      '--stream-key-file <file>',
      'file with the stream key of a new address; or LOOP_STREAM_KEY; else it is asked',
    )
    .option('--name <name>', 'name of the stream; default: the name of the folder')
    .addOption(new Option('--backend <backend>', 'how it is sent').choices(['ffmpeg', 'manifest']))
    .option('--quality <quality>', 'such as q_1080p; default: that of your account')
    .option('--no-start', 'make the stream, and do not start it')
    .action(async (given: string, options: Options) => {
      const client = await connect();
      const printer = printerOf(options);
      const stream = await up(client, {
        folder: given,
        to: text(options['to']),
        hasKey: options['streamKeyFile'] !== undefined || environment['LOOP_STREAM_KEY'] !== undefined,
        readKey: () => readStreamKey(environment, text(options['streamKeyFile'])),
        name: text(options['name']),
        backend: options['backend'] as 'ffmpeg' | 'manifest' | undefined,
        quality: text(options['quality']),
        start: options['start'] !== false,
        timeoutSeconds: Number(options['timeout']),
        uploadsFolder: folder,
        printer,
      });
      printer.answer(stream, { lines: [stateLine(stream), `Follow it: loop tail ${stream.id}`] });
    });
  const sends = 'upload files in parts; a killed upload continues when it is run again';
  withTimeout(define(program, 'upload <files...>', sends)).action(async (paths: string[], options: Options) => {
    const client = await connect();
    const printer = printerOf(options);
    const files = await Promise.all(paths.map(readMediaFile));
    const timeoutSeconds = Number(options['timeout']);
    const uploads = await sendAll(client, files, { uploadsFolder: folder, timeoutSeconds, printer });
    const rows = uploads.map(({ name, id, type, durationSeconds }) => ({ name, id, type, seconds: durationSeconds }));
    printer.answer(uploads, { rows });
  });
}

function addControl(program: Command, environment: Environment, connect: () => Promise<Client>): void {
  withTimeout(define(program, 'start [stream]', 'start a stream, and wait until it is live')).action(
    async (given: string | undefined, options: Options) => {
      const client = await connect();
      const printer = printerOf(options);
      const { id } = await findStream(client, given);
      const stream = await startAndWait(client, id, { printer, timeoutSeconds: Number(options['timeout']) });
      printer.answer(stream, { lines: [stateLine(stream)] });
    },
  );
  define(program, 'stop [stream]', 'stop a stream; its cost ends within two seconds')
    .option('--end-recurrence', 'also end its repeated starts')
    .action(async (given: string | undefined, options: Options) => {
      const client = await connect();
      const { id } = await findStream(client, given);
      const body = { endsRecurrence: options['endRecurrence'] === true };
      const stream = await client.call<Stream>('POST', `/streams/${id}/stop`, body, { isRepeatable: true });
      printerOf(options).answer(stream, { lines: [stateLine(stream)] });
    });
  define(program, 'skip [stream]', 'skip the item that plays now, at least ten seconds from now')
    .option('--next', 'skip the next item instead')
    .action(async (given: string | undefined, options: Options) => {
      const client = await connect();
      const { id, name } = await findStream(client, given);
      const rows = await timelineRows(client, id, { limit: 2 });
      const row = rows[options['next'] === true ? 1 : 0];
      if (!row) throw new LoopFailure('refused', `${name ?? id} plays nothing that could be skipped.`);
      const body = { startAt: row.startAt, uploadID: row.uploadID };
      const skipped = await client.call<{ takesOverAt: string }>('POST', `/streams/${id}/skip`, body);
      const lines = [`${titleOf(row)} is skipped at ${localTime(skipped.takesOverAt)}.`];
      printerOf(options).answer({ ...skipped, ...body }, { lines });
    });
  withTimeout(define(program, 'next <upload> [stream]', 'play a file or an upload once, after the item that plays now'))
    .addHelpText('after', '\nAn UPLOAD is the path of a file, which is sent first, or the name or id of an upload.')
    .action(async (given: string, streamGiven: string | undefined, options: Options) => {
      const client = await connect();
      const printer = printerOf(options);
      const timeoutSeconds = Number(options['timeout']);
      const sending = { uploadsFolder: uploadsFolder(environment), timeoutSeconds, printer };
      const played = await playNext(client, given, await findStream(client, streamGiven), sending);
      const lines = [`${played.upload.name} plays at ${localTime(played.startsAt)}.`];
      printer.answer(played, { lines });
    });
}

function addAnswers(program: Command, connect: () => Promise<Client>): void {
  define(program, 'status [stream]', 'show all streams, or one, with faults and their remedies').action(
    async (given: string | undefined, options: Options) => status(await connect(), printerOf(options), given),
  );
  define(program, 'tail [stream]', 'follow the states, items and incidents of a stream').action(
    async (given: string | undefined, options: Options) => {
      const client = await connect();
      await tail(client, printerOf(options), (await findStream(client, given)).id);
    },
  );
  define(program, 'timeline [stream]', 'list what a stream played, plays and will play')
    .option('--from <time>', 'ISO 8601; default: now')
    .option('--to <time>', 'ISO 8601')
    .addOption(new Option('--track <track>', 'pictures or songs').choices(['video', 'audio']))
    .option('--limit <rows>', 'most rows', integer, 20)
    .action(async (given: string | undefined, options: Options) => {
      const query = { from: text(options['from']), to: text(options['to']), track: text(options['track']) };
      await timeline(await connect(), printerOf(options), given, { ...query, limit: Number(options['limit']) });
    });
  define(program, 'prove [stream]', 'write the signed statement of a day on air')
    .option('--day <day>', 'a day in UTC, such as 2030-01-31; default: today until now')
    .option('--output <file>', 'file of the statement; the public keys are written beside it')
    .action(async (given: string | undefined, options: Options) => {
      const proof = { day: text(options['day']), output: text(options['output']) };
      await prove(await connect(), printerOf(options), given, proof);
    });
  define(program, 'spend', 'show credits, their use now, and the cost of each stream')
    .option('--from <time>', 'ISO 8601; default: 30 days ago')
    .option('--to <time>', 'ISO 8601; default: now')
    .action(async (options: Options) => {
      await spend(await connect(), printerOf(options), { from: text(options['from']), to: text(options['to']) });
    });
}

function addChannel(program: Command, environment: Environment, connect: () => Promise<Client>): void {
  const withFile = (command: Command) =>
    command
      .requiredOption('-f, --file <file>', 'the channel file, in YAML')
      .option('--prune', 'delete things that the file does not name, in the sections that it has')
      .option('--restart', 'take live streams off air for changes that need it')
      .option('--renew-secrets', 'send all secrets again');
  const requestOf = (options: Options) => ({
    file: String(options['file']),
    prune: options['prune'] === true,
    restart: options['restart'] === true,
    renewSecrets: options['renewSecrets'] === true,
  });
  // The schemas of the API are loaded by these commands only.
  const commands = () => import('./channel/commands.ts');
  withFile(define(program, 'plan', 'show the changes of a channel file, and make none'))
    .option('--check', 'end with 7 if there are changes')
    .action(async (options: Options) => {
      const { showPlan } = await commands();
      await showPlan(await connect(), printerOf(options), requestOf(options), options['check'] === true);
    });
  withTimeout(withFile(define(program, 'apply', 'make the changes of a channel file'))).action(
    async (options: Options) => {
      const { apply } = await commands();
      await apply(await connect(), requestOf(options), {
        environment,
        printer: printerOf(options),
        timeoutSeconds: Number(options['timeout']),
        uploadsFolder: uploadsFolder(environment),
      });
    },
  );
  define(program, 'export [stream]', 'write the channel file of the platform, or of one stream')
    .option('--output <file>', 'the file; default: stdout')
    .action(async (given: string | undefined, options: Options) => {
      const { exportChannel } = await commands();
      await exportChannel(await connect(), given, text(options['output']));
    });
  define(program, 'schema', 'print the JSON schema of channel files, for editors').action(async () => {
    const { channelJSONSchema } = await import('./channel/document.ts');
    console.log(JSON.stringify(channelJSONSchema(), null, 2));
  });
}

function withTimeout(command: Command): Command {
  return command.option(
    '--timeout <seconds>',
    'longest wait for a file to be examined or prepared, and for a stream to be live or off air',
    integer,
    defaultTimeoutSeconds,
  );
}

function integer(given: string): number {
  if (!/^\d{1,9}$/.test(given)) throw new InvalidArgumentError('It has to be a whole number.');
  return Number(given);
}

function json(given: string): object {
  try {
    return JSON.parse(given) as object;
  } catch (error) {
    throw new LoopFailure('usage', `The body is no JSON: ${(error as Error).message}`);
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  (value as Record<string, unknown> | null | undefined)?.[name];

const text = (option: Options[string]): string | undefined => (option === undefined ? undefined : String(option));

function stateLine({ name, id, state, creditsPerHour }: Stream): string {
  return `${name ?? id} is ${state === 'active' ? `live, for ${creditsPerHour} credits an hour` : state}.`;
}

/** Secrets come from a file, the environment or a question, never from the command line, which shells record. */
async function readStreamKey(environment: Environment, path: string | undefined): Promise<string> {
  if (path === undefined)
    return (
      environment['LOOP_STREAM_KEY'] ?? (await askSecret('Stream key', 'Use --stream-key-file or LOOP_STREAM_KEY.'))
    );
  const content = await readFile(path, 'utf8').catch(() => null);
  if (content === null) throw new LoopFailure('not_found', `There is no file ${path}.`);
  return content.trim();
}

async function readSecret(question: string, remedy: string): Promise<string> {
  if (process.stdin.isTTY) return await askSecret(question, remedy);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString().trim();
}
