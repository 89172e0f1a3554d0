// The environment of a live ingest in AWS: the names that its stack sets, and their values, parsed once.
import { ingestPlaces } from '../domain/live/ingest-places.ts';
import type { LiveProtocol } from '../domain/live/live-ingest.ts';
import { databaseVariables, readDatabaseEnvironment } from '../ports/aws/environment.ts';
import type { DatabaseEnvironment } from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const liveVariables = [
  ...databaseVariables,
  'UPLOADS_BUCKET',
  'LIVE_RELEASE_PARAMETER',
  'LIVE_PROTOCOL',
  'LIVE_CORES',
] as const;

/** The command of the ingest in the publisher's image, below the folder of the agent. */
export const liveCommand = ['node', '/agent/live/index.mjs'] as const;

/** Cores of a task: 1440p30 and 1080p60 take both, and larger streams are refused. */
export const coresOfTask = 2;
/** Those of them that all users have together who are not funded. */
export const coresOfUnfunded = ingestPlaces(coresOfTask).ofUnfunded;

/** The port of the task. Behind a load balancer, each connection begins with a PROXY header. */
export const livePort = 1935;

/** The protocols that the load balancer passes on. */
const balancedProtocols = ['rtmp', 'rtmps'] as const satisfies readonly LiveProtocol[];

/** The application in the addresses for contributors. */
export const liveApplication = 'live';

export interface LiveEnvironment extends DatabaseEnvironment {
  readonly uploadsBucket: string;
  /** Name of the parameter with the ARN of the current task definition. */
  readonly releaseParameter: string;
  /** The protocol of contributors, which the load balancer decrypts. */
  readonly protocol: (typeof balancedProtocols)[number];
  /** Cores of the task. */
  readonly cores: number;
}

/** @throws naming the variable that is missing or malformed */
export function readLiveEnvironment(env: NodeJS.ProcessEnv): LiveEnvironment {
  const protocol = balancedProtocols.find((each) => each === requiredVariable(env, 'LIVE_PROTOCOL'));
  if (protocol === undefined) throw malformed(env, 'LIVE_PROTOCOL');
  const cores = Number(requiredVariable(env, 'LIVE_CORES'));
  if (!Number.isInteger(cores) || cores < 1) throw malformed(env, 'LIVE_CORES');
  return {
    ...readDatabaseEnvironment(env),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    releaseParameter: requiredVariable(env, 'LIVE_RELEASE_PARAMETER'),
    protocol,
    cores,
  };
}

function malformed(env: NodeJS.ProcessEnv, name: (typeof liveVariables)[number]): Error {
  return new Error(`the environment variable ${name} is malformed: ${env[name]}`);
}
