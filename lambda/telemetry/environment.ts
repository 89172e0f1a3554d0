// The environment variables of telemetry, all defined by OpenTelemetry. Without an endpoint nothing is sent.
// opentelemetry.io/docs/specs/otel/protocol/exporter
export const telemetryVariables = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER_ARG',
] as const;
