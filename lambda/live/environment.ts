// The environment of a live ingest in AWS: the names that its stack sets, and their values, parsed once.
import { databaseVariables, readDatabaseEnvironment } from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const liveVariables = [
  ...databaseVariables,
  'UPLOADS_BUCKET',
  'LIVE_RELEASE_PARAMETER',
  'LIVE_PROTOCOL',
  'LIVE_MOST_SESSIONS',
] as const;

/** The command of the ingest in the publisher's image, below the folder of the agent. */
export const liveCommand = ['node', '/agent/live/index.mjs'] as const;

/** The port of the task. Behind a load balancer, each connection begins with a PROXY header. */
export const livePort = 1935;

/** The application in the addresses for contributors. */
export const liveApplication = 'live';

/** @throws naming the variable that is missing or malformed */
export function readLiveEnvironment(env: NodeJS.ProcessEnv) {
  const protocol = requiredVariable(env, 'LIVE_PROTOCOL');
  if (protocol !== 'rtmp' && protocol !== 'rtmps') throw malformed('LIVE_PROTOCOL', protocol);
  const mostSessions = Number(requiredVariable(env, 'LIVE_MOST_SESSIONS'));
  if (!Number.isInteger(mostSessions) || mostSessions < 1) throw malformed('LIVE_MOST_SESSIONS', String(mostSessions));
  return {
    ...readDatabaseEnvironment(env),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    /** Name of the parameter with the ARN of the current task definition. */
    releaseParameter: requiredVariable(env, 'LIVE_RELEASE_PARAMETER'),
    /** The protocol of contributors, which the load balancer decrypts. */
    protocol: protocol as 'rtmp' | 'rtmps',
    mostSessions,
  };
}

function malformed(name: (typeof liveVariables)[number], value: string): Error {
  return new Error(`the environment variable ${name} is malformed: ${value}`);
}
