// Which variables a function or a container gets: those that its code reads, and what the stage sets for all.
import { telemetryVariables } from '../../lambda/telemetry/environment.ts';
import type { StageSettings } from '../stage-settings.ts';
import { authoritiesVariable } from './database-authorities.ts';

type TelemetryVariable = (typeof telemetryVariables)[number];

/**
 * The part of traces that is kept. A transaction within one says so by a setting of its session, for which RDS Proxy
 * may pin the connection: nobody shares it while the session lasts.
 */
const sampledShare = '0.05';

/** Nothing where the stage sends nothing. */
export function telemetryEnvironment({ otlpEndpoint }: StageSettings): object {
  const environment: Partial<Record<TelemetryVariable, string>> =
    otlpEndpoint === null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint, OTEL_TRACES_SAMPLER_ARG: sampledShare };
  return environment;
}

/**
 * @param names of the variables that the code reads
 * @param environment has a value for each, and those of telemetry and of Node itself where the stage has any
 */
export function pickVariables<Variable extends string>(
  names: readonly Variable[],
  environment: Readonly<Record<Variable, string>>,
): Readonly<Record<Variable, string>> {
  const ofStage = [...telemetryVariables, authoritiesVariable].filter((name) => name in environment);
  const picked = [...names, ...(ofStage as Variable[])].map((name) => [name, environment[name]] as const);
  return Object.fromEntries(picked) as Record<Variable, string>;
}
