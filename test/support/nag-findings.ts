// The findings of cdk-nag in an app without those that were accepted.
import type { App } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

/** The broken rules of AwsSolutions, each with the paths of the constructs that break it. */
export function nagFindings(app: App): [ruleName: string, constructPaths: (string | undefined)[]][] {
  const { violations } = new AwsSolutionsChecks(app).validateScope(app);
  return violations.map(({ ruleName, violatingResources }) => [
    ruleName,
    violatingResources.map(({ constructPath }) => constructPath),
  ]);
}
