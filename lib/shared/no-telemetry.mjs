// Stands in for the reports of better-auth to its makers, which are off (lambda/auth/authorization-server.ts).
export const createTelemetry = async () => ({ publish: async () => {} });
export const getTelemetryAuthConfig = async () => ({});
