// The settings of a stage that the application reads: one row for each, from the stage to the process.
import type { LiveIngest } from './domain/live/live-ingest.ts';
import { streamBackends } from './domain/streams/stream-words.ts';

/** A function or task that reads settings. A task for media has the settings of an agent. */
type Reader = 'agent' | 'api' | 'auth' | 'importWorker' | 'platforms' | 'sweep' | 'timersJob';

type Value = string | number | boolean | LiveIngest | null;

interface Setting {
  /** The environment variable that has the value as text: JSON for an object, the empty text for null. */
  readonly variable: string;
  /** @throws if the text is malformed */
  readonly parse: (text: string) => Value;
  /** The value in the local run and in tests. */
  readonly local: Value;
  readonly readers: readonly Reader[];
}

const addressForms: Readonly<Record<string, RegExp>> = {
  rtmpURL: /^rtmp:\/\/[^\s/]+\/\S+$/,
  rtmpsURL: /^rtmps:\/\/[^\s/]+\/\S+$/,
  srtURL: /^srt:\/\/[^\s/]+:\d+$/,
};

/** Whether a value has at least one address of an ingest, perhaps its cores, and nothing else. */
function isLiveIngest(value: unknown): value is LiveIngest {
  if (typeof value !== 'object' || value === null) return false;
  const { cores = 1, ...addresses } = value as Partial<LiveIngest>;
  const urls = Object.entries(addresses);
  return (
    Number.isInteger(cores) &&
    urls.length > 0 &&
    urls.every(([name, url]) => typeof url === 'string' && addressForms[name]?.test(url) === true)
  );
}

/**
 * The key of a row is the field of `StageSettings` in `lib/stage-settings.ts`, whose comment is its documentation. A
 * stage has the number of tasks as `liveIngest`, and its stack the addresses.
 */
const table = {
  legacyRtmpURL: {
    variable: 'LEGACY_RTMP_URL',
    parse: textOrNull,
    local: null,
    readers: ['agent', 'api', 'sweep', 'timersJob'],
  },
  limitFactor: {
    variable: 'LIMIT_FACTOR',
    parse: number,
    local: 100,
    readers: ['agent', 'api', 'importWorker', 'sweep', 'timersJob'],
  },
  freeStoredGiB: { variable: 'FREE_STORED_GIB', parse: number, local: 50, readers: ['api', 'sweep'] },
  rateLimitFactor: { variable: 'RATE_LIMIT_FACTOR', parse: number, local: 100, readers: ['api', 'auth'] },
  defaultStreamBackend: {
    variable: 'DEFAULT_STREAM_BACKEND',
    parse: oneOf(streamBackends),
    // Prepared media would delay the first stream of a new user.
    local: 'ffmpeg',
    readers: ['api'],
  },
  streamBackendEdit: { variable: 'STREAM_BACKEND_EDIT', parse: flag, local: true, readers: ['api'] },
  liveIngest: {
    variable: 'LIVE_INGEST_ADDRESSES',
    parse: liveIngest,
    local: null,
    readers: ['api'],
  },
  youtubeDailyUnits: {
    variable: 'YOUTUBE_DAILY_UNITS',
    parse: number,
    // The quota of the local stand-in for YouTube, and of a new project there.
    local: 10_000,
    readers: ['platforms'],
  },
} as const satisfies Readonly<Record<string, Setting>>;

type Table = typeof table;
type Name = keyof Table;
type NameFor<Of extends Reader> = { [Key in Name]: Of extends Table[Key]['readers'][number] ? Key : never }[Name];

/** All settings that the application reads. */
export type Settings = { readonly [Key in Name]: ReturnType<Table[Key]['parse']> };

/** The settings that one function or task reads. */
export type SettingsFor<Of extends Reader> = Pick<Settings, NameFor<Of>>;

/** The environment variables of all settings, or of those that one function or task reads. */
export type SettingVariable<Of extends Reader = Reader> = Table[NameFor<Of>]['variable'];

const rows = Object.entries(table) as [Name, Setting][];

/** The names of the variables that one function or task reads. */
export function variablesFor<Of extends Reader>(reader: Of): readonly SettingVariable<Of>[] {
  return rows
    .filter(([, { readers }]) => readers.includes(reader))
    .map(([, row]) => row.variable as SettingVariable<Of>);
}

/** The variables of all settings with their values as text. */
export function settingsAsVariables(settings: Settings): Readonly<Record<SettingVariable, string>> {
  const variables = rows.map(([name, { variable }]) => [variable, textOf(settings[name])]);
  return Object.fromEntries(variables) as Record<SettingVariable, string>;
}

/**
 * Reads the settings of one function or task.
 * @throws if a variable is missing or malformed; the message names it
 */
export function readSettings<Of extends Reader>(reader: Of, env: NodeJS.ProcessEnv): SettingsFor<Of> {
  const read = rows
    .filter(([, { readers }]) => readers.includes(reader))
    .map(([name, { variable, parse }]) => {
      try {
        return [name, parse(env[variable] ?? '')];
      } catch (error) {
        throw new Error(`the environment variable ${variable} is ${env[variable] ? 'malformed' : 'missing'}`, {
          cause: error,
        });
      }
    });
  return Object.fromEntries(read) as SettingsFor<Of>;
}

/** The settings of the local run. */
export const localSettings = Object.fromEntries(rows.map(([name, { local }]) => [name, local])) as Settings;

function textOf(value: Value): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

function liveIngest(text: string): LiveIngest | null {
  if (text === '') return null;
  const value: unknown = JSON.parse(text);
  if (!isLiveIngest(value)) throw new Error(`no addresses of an ingest: ${text}`);
  return value;
}

function flag(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error(`neither true nor false: ${text}`);
  return text === 'true';
}

function number(text: string): number {
  if (text === '' || !Number.isFinite(Number(text))) throw new Error(`no number: ${text}`);
  return Number(text);
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

function oneOf<const Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((each) => each === text);
    if (word === undefined) throw new Error(`none of ${words.join(', ')}: ${text}`);
    return word;
  };
}
