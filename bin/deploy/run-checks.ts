// Runs checks in parallel, and turns questions without an answer into warnings.
import { Unanswered } from './ask-aws.ts';
import { type Check, type Finding, type LocalContext, unansweredFinding } from './check.ts';

/** @param showProgress called after each check with the names of the checks that still run */
export async function runChecks<Context extends LocalContext>(
  checks: readonly Check<Context>[],
  context: Context,
  showProgress: (running: string) => void,
): Promise<readonly Finding[]> {
  const running = new Set(checks.map(({ name }) => name));
  const findings = await Promise.all(
    checks.map(async (check) => {
      const found = await runCheck(check, context);
      running.delete(check.name);
      showProgress([...running].join(', '));
      return found;
    }),
  );
  return findings.flat();
}

async function runCheck<Context extends LocalContext>(
  check: Check<Context>,
  context: Context,
): Promise<readonly Finding[]> {
  try {
    return await check.run(context);
  } catch (error) {
    if (error instanceof Unanswered) return [unansweredFinding(check.name, error)];
    throw error;
  }
}
