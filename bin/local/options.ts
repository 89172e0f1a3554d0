// The arguments of `npm start`.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface LocalOptions {
  /** Port of the site. Null: 3000, or any free port if that is taken. */
  readonly port: number | null;
  readonly dataFolder: string;
  readonly demo: boolean;
  /** Whether the synthetic stream is started every minute. */
  readonly synthetic: boolean;
  readonly fresh: boolean;
  /** Number of agent processes. Null: the best number for this machine. */
  readonly agents: number | null;
  /** All initial credits of the local user, who gets no free ones. They are given once. */
  readonly credits: number;
}

/** The most agents, and the most that a run starts by itself. */
export const mostAgents = 64;
export const mostUsualAgents = 16;
const defaultCredits = 100_000;
const mostCredits = 1_000_000_000;

const purpose = 'Runs the whole platform on this machine: API, database, publisher, RTMP ingest and a page to watch.';
const survival = 'Your data stays in DIR: a stream that was live is live again at the next start.';

const helpText = `${purpose}

  npm start                  everything, with a demo stream
  npm start -- [arguments]

  --port N      port of the API and the page (default 3000; any free one if that is taken)
  --data DIR    the folder of all data (default .local)
  --agents N    number of publishers; one that dies is started again (default 1, or one
                for every 18 cores of a large machine)
  --credits N   all credits of a new local user (default 100000): the demo uses
                25 an hour, and with 0 no stream starts
  --no-demo     makes no demo stream
  --synthetic   starts a test stream every minute, and reports a start that fails
  --fresh       deletes DIR first
  --help        this text

Environment: DATABASE_URL (a Postgres 18 of your own), FFMPEG_PATH, FFPROBE_PATH,
NODE_EXTRA_CA_CERTS (certificates of your destinations).
Ctrl-C ends everything. ${survival}`;

/** @returns the options, or a text for the user: help (exit code 0), or the fault of the arguments (exit code 2) */
export function readOptions(
  args: readonly string[],
): LocalOptions | { readonly text: string; readonly exitCode: 0 | 2 } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        data: { type: 'string', default: '.local' },
        'no-demo': { type: 'boolean', default: false },
        synthetic: { type: 'boolean', default: false },
        fresh: { type: 'boolean', default: false },
        agents: { type: 'string' },
        credits: { type: 'string', default: String(defaultCredits) },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { text: helpText, exitCode: 0 };
    const port = values.port === undefined ? null : Number(values.port);
    if (port !== null && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
      throw new Error('--port takes a number from 1 to 65535.');
    const agents = values.agents === undefined ? null : values.agents === '' ? Number.NaN : Number(values.agents);
    if (agents !== null && !(Number.isInteger(agents) && agents >= 0 && agents <= mostAgents))
      throw new Error(`--agents takes a number from 0 to ${mostAgents}.`);
    const credits = values.credits === '' ? Number.NaN : Number(values.credits);
    if (!(Number.isInteger(credits) && credits >= 0 && credits <= mostCredits))
      throw new Error(`--credits takes a number from 0 to ${mostCredits}.`);
    if (values.data === '') throw new Error('--data takes the name of a folder.');
    const { fresh, synthetic } = values;
    return { port, dataFolder: resolve(values.data), demo: !values['no-demo'], synthetic, fresh, agents, credits };
  } catch (error) {
    return { text: `${(error as Error).message}\n\n${helpText}`, exitCode: 2 };
  }
}
