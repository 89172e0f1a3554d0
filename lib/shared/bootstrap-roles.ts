// The names of the roles that `cdk bootstrap` creates in an account: a set for each qualifier.
import { DefaultStackSynthesizer } from 'aws-cdk-lib';
import type { StageSettings } from '../stage-settings.ts';

/** The roles of the CLI for reading, uploading and deploying, and the role of CloudFormation. */
export type BootstrapRoleKind = 'lookup' | 'file-publishing' | 'deploy' | 'cfn-exec';

/** The qualifier of a stage: its own, or the CDK's default. */
function bootstrapQualifierOf({ bootstrapQualifier }: Pick<StageSettings, 'bootstrapQualifier'>): string {
  return bootstrapQualifier ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;
}

/** @param region `*` for all regions */
export function bootstrapRoleName(
  settings: Pick<StageSettings, 'bootstrapQualifier'>,
  kind: BootstrapRoleKind,
  account: string,
  region: string,
): string {
  return `cdk-${bootstrapQualifierOf(settings)}-${kind}-role-${account}-${region}`;
}
