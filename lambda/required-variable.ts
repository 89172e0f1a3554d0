// Reads an environment variable that a process cannot work without; the `environment.ts` of each deployable uses it.

/** @throws {Error} if the variable is missing or empty. The message names it. */
export function requiredVariable(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`the environment variable ${name} is missing`);
  return value;
}
