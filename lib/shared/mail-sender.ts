// The sender address of mails to users, and the right to use it. The identity stack has SES verify it.
import { Stack, Stage } from 'aws-cdk-lib';
import { type IRole, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stage-settings.ts';
import { acknowledge, wildcardResource } from './acknowledge.ts';

/** The address; empty for a stage that sends no mails. */
export function mailSenderAddress({ mailFrom, domain }: StageSettings): string {
  return mailFrom ?? (domain ? `no-reply@${domain.name}` : '');
}

/** The name of the SES configuration set for all mails of the stage. Stages may share an account. */
export function mailConfigurationSetName(scope: Construct): string {
  return `${Stage.of(scope)?.node.id ?? ''}-mails`;
}

/**
 * Lets a role send mails from the stage's address only. The right names no resource of the identity's stack, so the
 * function's stack does not depend on that stack.
 */
export function grantSendMail(scope: Construct, role: IRole, settings: StageSettings): void {
  const sender = mailSenderAddress(settings);
  if (sender === '') return;
  const stack = Stack.of(scope);
  const ses = (resource: string, resourceName: string) => stack.formatArn({ service: 'ses', resource, resourceName });
  // While an account is in SES' sandbox, SES also requires the right for the receiver's identity, and both identities
  // are in this account. So the right is bound to the sender's address instead.
  const identities = ses('identity', '*');
  const policy = new ManagedPolicy(scope, 'SendMail', {
    statements: [
      new PolicyStatement({
        actions: ['ses:SendEmail'],
        resources: [identities, ses('configuration-set', mailConfigurationSetName(scope))],
        conditions: { StringEquals: { 'ses:FromAddress': sender } },
      }),
    ],
  });
  acknowledge(
    policy,
    'In SES’ sandbox the receiver’s identity is asked for too; the sender’s address is bound by the condition.',
    wildcardResource(stack, identities),
  );
  role.addManagedPolicy(policy);
}
