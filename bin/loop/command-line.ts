// The commands of `loop`, their arguments and their options.
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { allScopes } from '../../lambda/operations/scopes.ts';
import { findAccess } from './access.ts';
import { createClient } from './client.ts';
import type { Method } from './client.ts';
import { failures, LoopFailure } from './failure.ts';
import type { LoginOptions } from './login.ts';
import { playNext, skip, start, stop } from './on-air.ts';
import { upload } from './send-files.ts';
import type { Environment, Session } from './session.ts';
import { prove, spend, status, tail, timeline } from './stream-answers.ts';
import { createPrinter, readSecret } from './terminal.ts';
import { up } from './up.ts';

const defaultTimeoutSeconds = 600;
const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];
const codes = Object.values(failures).map(({ exitCode, words }) => `  ${exitCode}  ${words}`);
const epilogue = `
A STREAM is a name or an id; without it, the only stream. FOLDER and FILE are paths here.
The platform: LOOP_API_URL and LOOP_API_KEY, else the sign-in, else the \`npm start\` that runs in this folder.

Exit codes:
  0  done
${codes.join('\n')}`;

interface UsualOptions {
  readonly json?: true;
  readonly timeout?: number;
}

/** The action of a command that talks to the platform. It gets the session, its arguments and its options. */
type Act = (session: Session, ...given: never[]) => Promise<void>;
type Add = (name: string, summary: string, act: Act) => Command;

export function createProgram(environment: Environment): Command {
  const program = new Command('loop')
    .description('Streams files around the clock: uploads them, starts streams, follows them.')
    .addHelpText('after', epilogue)
    .showHelpAfterError('Try: loop --help')
    .exitOverride();
  const add: Add = (name, summary, act) =>
    define(program, name, summary).action(async (...all: unknown[]) => {
      // Commander adds the options and the command to the arguments.
      const given = all.slice(0, -1);
      const { json = false, timeout = defaultTimeoutSeconds } = given.at(-1) as UsualOptions;
      const session = {
        client: createClient(await findAccess(environment)),
        printer: createPrinter(json),
        environment,
        timeoutSeconds: timeout,
      };
      await act(session, ...(given as never[]));
    });
  addSignIn(program, environment);
  addMaking(add);
  addControl(add);
  addAnswers(add);
  addChannel(add);
  define(program, 'schema', 'print the JSON schema of channel files, for editors').action(async () => {
    const { channelJSONSchema } = await import('./channel/document.ts');
    console.log(JSON.stringify(channelJSONSchema(), null, 2));
  });
  add('api', 'call any operation of the API, and print its answer', callAny)
    .addArgument(new Argument('<method>').choices(['GET', 'POST', 'PATCH', 'DELETE']))
    .argument('<path>', 'below /v1, such as /streams')
    .argument('[body]', 'JSON; -: from stdin, as secrets should be')
    .option('--field <path>', 'print only this part of the answer, such as data.0.id');
  define(program, 'completion', 'print the completion of a shell: source <(loop completion bash)')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => console.log(completionOf(program, shell)));
  return program;
}

function define(program: Command, name: string, summary: string): Command {
  return program.command(name).description(summary).option('--json', 'print JSON, for programs');
}

function addSignIn(program: Command, environment: Environment): void {
  // Only these commands need the library of OAuth.
  const signIn = () => import('./login.ts');
  define(program, 'login', 'sign in, by a code that you confirm in a browser, or by a key')
    .option('--url <address>', 'address of the platform, such as https://HOST')
    .option('--with-key', 'read an API key from stdin, or ask for it')
    .addOption(new Option('--scope <scopes...>', 'permissions to ask for').choices(allScopes).default(allScopes))
    .action(async (options: LoginOptions & UsualOptions) =>
      (await signIn()).login(environment, createPrinter(options.json === true), options),
    );
  define(program, 'logout', 'forget the sign-in, here and at the platform').action(async ({ json }: UsualOptions) =>
    (await signIn()).logout(environment, createPrinter(json === true)),
  );
}

function addMaking(add: Add): void {
  withTimeout(add('up', 'put the files of a folder live; run again, it continues, and adds what is new', up))
    .argument('<folder>', 'videos, or pictures and songs')
    .option('--to <destination>', 'name, id, platform or address; default: the only destination')
    .option(
      '--stream-key-file <file>',
      'file with the stream key of a new address; or LOOP_STREAM_KEY; else it is asked',
    )
    .option('--name <name>', 'name of the stream; default: the name of the folder')
    .addOption(new Option('--backend <backend>', 'how it is sent').choices(['ffmpeg', 'manifest']))
    .option('--quality <quality>', 'such as q_1080p; default: that of your account')
    .option('--no-start', 'make the stream, and do not start it');
  withTimeout(
    add('upload <files...>', 'upload files in parts; a killed upload continues when it is run again', upload),
  );
}

function addControl(add: Add): void {
  withTimeout(add('start [stream]', 'start a stream, and wait until it is live', start));
  add('stop [stream]', 'stop a stream; its cost ends within two seconds', stop).option(
    '--end-recurrence',
    'also end its repeated starts',
  );
  add('skip [stream]', 'skip the item that plays now, at least ten seconds from now', skip).option(
    '--next',
    'skip the next item instead',
  );
  withTimeout(
    add('next <upload> [stream]', 'play a file or an upload once, after the item that plays now', playNext),
  ).addHelpText('after', '\nAn UPLOAD is the path of a file, which is sent first, or the name or id of an upload.');
}

function addAnswers(add: Add): void {
  add('status [stream]', 'show all streams, or one, with faults and their remedies', status);
  add('tail [stream]', 'follow the states, items and incidents of a stream', tail);
  add('timeline [stream]', 'list what a stream played, plays and will play', timeline)
    .option('--from <time>', 'ISO 8601; default: now')
    .option('--to <time>', 'ISO 8601')
    .addOption(new Option('--track <track>', 'pictures or songs').choices(['video', 'audio']))
    .option('--limit <rows>', 'most rows', integer, 20);
  add('prove [stream]', 'write the signed statement of a day on air', prove)
    .option('--day <day>', 'a day in UTC, such as 2030-01-31; default: today until now')
    .option('--output <file>', 'file of the statement; the public keys are written beside it');
  add('spend', 'show credits, their use now, and the cost of each stream', spend)
    .option('--from <time>', 'ISO 8601; default: 30 days ago')
    .option('--to <time>', 'ISO 8601; default: now');
}

function addChannel(add: Add): void {
  // The schemas of the API are loaded by these commands only.
  const later =
    (name: 'showPlan' | 'apply' | 'exportChannel'): Act =>
    async (...given) => {
      const act: Act = (await import('./channel/commands.ts'))[name];
      await act(...given);
    };
  const withFile = (command: Command) =>
    command
      .requiredOption('-f, --file <file>', 'the channel file, in YAML')
      .option('--prune', 'delete things that the file does not name, in the sections that it has')
      .option('--restart', 'take live streams off air for changes that need it')
      .option('--renew-secrets', 'send all secrets again');
  withFile(add('plan', 'show the changes of a channel file, and make none', later('showPlan'))).option(
    '--check',
    'end with 7 if there are changes',
  );
  withTimeout(withFile(add('apply', 'make the changes of a channel file', later('apply'))));
  add('export [stream]', 'write the channel file of the platform, or of one stream', later('exportChannel')).option(
    '--output <file>',
    'the file; default: stdout',
  );
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

interface CallOptions {
  readonly field?: string;
}

/** `loop api` @throws {LoopFailure} */
async function callAny(
  { client }: Session,
  method: Method,
  path: string,
  body: string | undefined,
  { field }: CallOptions,
): Promise<void> {
  const given = body === '-' ? await readSecret('Body') : body;
  const answer = await client.call<unknown>(method, path, given === undefined ? undefined : json(given));
  const part = field?.split('.').reduce(memberOf, answer) ?? answer;
  console.log(typeof part === 'string' ? part : (JSON.stringify(part, null, 2) ?? ''));
}

function json(given: string): object {
  try {
    return JSON.parse(given) as object;
  } catch (error) {
    throw new LoopFailure('usage', `The body is no JSON: ${(error as Error).message}`);
  }
}

const memberOf = (value: unknown, name: string): unknown => Object(value)[name] as unknown;

/** A script that a shell reads to complete `loop`. */
export function completionOf({ commands }: Command, shell: Shell): string {
  if (shell === 'fish') return commands.flatMap(fishLines).join('\n');
  const names = commands.map((command) => command.name()).join(' ');
  const cases = commands.map((command) => {
    const options = command.options.map(({ long }) => long).join(' ');
    return `    ${command.name()}) words='${options}' ;;`;
  });
  const bash = `_loop() {
  local words='${names}'
  if [ "$COMP_CWORD" -gt 1 ]; then
    words=
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _loop loop`;
  // Zsh understands the script of bash after this line.
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash;
}

function fishLines(command: Command): string[] {
  const name = command.name();
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const options = command.options.map(({ long, description }) => `-l ${long!.slice(2)} -d ${quoted(description)}`);
  return [
    `complete -c loop -n __fish_use_subcommand -f -a ${name} -d ${quoted(command.description())}`,
    ...options.map((option) => `complete -c loop -n '__fish_seen_subcommand_from ${name}' ${option}`),
  ];
}
