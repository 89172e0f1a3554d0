// The names of the roles that `cdk bootstrap` makes in an account: a set for each qualifier.
import { DefaultStackSynthesizer } from 'aws-cdk-lib';
import type { StageSettings } from '../stage-settings.ts';

/** What the CLI works as, to read, to upload and to deploy; and what CloudFormation works as. */
export type BootstrapRoleKind = 'lookup' | 'file-publishing' | 'deploy' | 'cfn-exec';

/** The qualifier of a stage: its own, or the CDK's. */
function bootstrapQualifierOf({ bootstrapQualifier }: Pick<StageSettings, 'bootstrapQualifier'>): string {
  return bootstrapQualifier ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;
}

/** @param region `*` for all */
export function bootstrapRoleName(
  settings: Pick<StageSettings, 'bootstrapQualifier'>,
  kind: BootstrapRoleKind,
  account: string,
  region: string,
): string {
  return `cdk-${bootstrapQualifierOf(settings)}-${kind}-role-${account}-${region}`;
}
