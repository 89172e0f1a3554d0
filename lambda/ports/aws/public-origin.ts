// The public origin of a stage: functions learn it at their start, and follow it when it changes.
// Decision D173.
import { readParameter } from './call-aws.ts';

export interface OriginEnvironment {
  /**
   * An origin, or `ssm:NAME`: the parameter with this name holds it. After a comma there may be the origin that holds
   * until the parameter exists.
   */
  readonly origin: string;
  readonly databaseRegion: string;
}

/** The time after which the parameter is read again: a new address holds within it, and it costs a request. */
const refreshMs = 60_000;

/**
 * @returns the origin, without a trailing slash
 * @throws {AwsRefusal} if the parameter is missing and nothing else holds
 */
export async function readOrigin({ origin, databaseRegion: region }: OriginEnvironment): Promise<string> {
  const [, name, original] = /^ssm:([^,]+)(?:,(.+))?$/.exec(origin) ?? [];
  if (name === undefined) return origin;
  return readParameter(name, { region }).catch((error: Error) => {
    if (error.name === 'ParameterNotFound' && original !== undefined) return original;
    throw error;
  });
}

/**
 * A handler that is built for the public origin, and built again after the origin has changed. While the parameter
 * cannot be read, the last known origin holds.
 * @param clock milliseconds
 */
export async function followOrigin<Given extends unknown[], Result>(
  environment: OriginEnvironment,
  build: (origin: string) => Promise<(...given: Given) => Promise<Result>> | ((...given: Given) => Promise<Result>),
  clock: () => number = Date.now,
): Promise<(...given: Given) => Promise<Result>> {
  let origin = await readOrigin(environment);
  let handler = await build(origin);
  let readAtMs = clock();
  return async (...given) => {
    if (clock() - readAtMs >= refreshMs) {
      readAtMs = clock();
      const latest = await readOrigin(environment).catch(() => origin);
      if (latest !== origin) {
        handler = await build(latest);
        origin = latest;
      }
    }
    return handler(...given);
  };
}
