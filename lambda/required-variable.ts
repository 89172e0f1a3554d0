// A variable that a process cannot work without, for the `environment.ts` of each deployable.

/** @throws naming the variable that is missing or empty */
export function requiredVariable(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`the environment variable ${name} is missing`);
  return value;
}
