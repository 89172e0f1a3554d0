// What cdk-nag finds in an app and nobody has accepted.
import type { App } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

/** The rules of AwsSolutions that are broken, each with the paths of the constructs that break it. */
export function nagFindings(app: App): [ruleName: string, constructPaths: (string | undefined)[]][] {
  const { violations } = new AwsSolutionsChecks(app).validateScope(app);
  return violations.map(({ ruleName, violatingResources }) => [
    ruleName,
    violatingResources.map(({ constructPath }) => constructPath),
  ]);
}
