// The variables of a function or a container: those that its code reads, and those of the whole stage.
import { telemetryVariables } from '../../lambda/telemetry/environment.ts';
import type { StageSettings } from '../stage-settings.ts';
import { authoritiesVariable } from './database-authorities.ts';

type TelemetryVariable = (typeof telemetryVariables)[number];

/**
 * The share of traces that is kept. A traced transaction sets a setting of its session, so RDS Proxy may pin the
 * connection: other clients cannot share it while the session lasts.
 */
const sampledShare = '0.05';

/** Empty if the stage sends no telemetry. */
export function telemetryEnvironment({ otlpEndpoint }: StageSettings): object {
  const environment: Partial<Record<TelemetryVariable, string>> =
    otlpEndpoint === null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint, OTEL_TRACES_SAMPLER_ARG: sampledShare };
  return environment;
}

/**
 * @param names names of the variables that the code reads
 * @param environment has a value for each name, and for the variables of telemetry and of Node itself that the stage
 *   sets
 */
export function pickVariables<Variable extends string>(
  names: readonly Variable[],
  environment: Readonly<Record<Variable, string>>,
): Readonly<Record<Variable, string>> {
  const ofStage = [...telemetryVariables, authoritiesVariable].filter((name) => name in environment);
  const picked = [...names, ...(ofStage as Variable[])].map((name) => [name, environment[name]] as const);
  return Object.fromEntries(picked) as Record<Variable, string>;
}
