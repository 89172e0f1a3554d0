// The sender address of mails to users, and the right to use it. The identity stack has SES verify it.
import { Stack, Stage } from 'aws-cdk-lib';
import { type IRole, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stage-settings.ts';
import { acknowledge, wildcardResource } from './acknowledge.ts';

/** The address; empty for a stage that sends no mails. */
export function mailSenderAddress({ mailFrom, domain }: Pick<StageSettings, 'mailFrom' | 'domain'>): string {
  return mailFrom ?? (domain ? `no-reply@${domain.name}` : '');
}

/** The names of the SES configuration sets of a stage. */
export interface MailSets {
  /** For mails to users with a purchase; it is the set of the identity. */
  readonly funded: string;
  /** For mails to other users with a confirmed address. It can be paused alone: decision D289. */
  readonly unfunded: string;
  /** For mails to all other addresses. Strangers cause them, so it can be paused alone: decision D281. */
  readonly unconfirmed: string;
}

/** @returns null for a stage that sends no mails. Stages may share an account. */
export function mailSetsOf(scope: Construct, settings: StageSettings): MailSets | null {
  if (mailSenderAddress(settings) === '') return null;
  const stage = Stage.of(scope)?.node.id ?? '';
  return { funded: `${stage}-mails`, unfunded: `${stage}-unfunded-mails`, unconfirmed: `${stage}-unconfirmed-mails` };
}

/** The ARN of a configuration set of the stage's region. */
export function mailSetARN(scope: Construct, resourceName: string): string {
  return Stack.of(scope).formatArn({ service: 'ses', resource: 'configuration-set', resourceName });
}

/**
 * Lets a role send mails from the stage's address only. The right names no resource of the identity's stack, so the
 * function's stack does not depend on that stack.
 * @param sets of the mails that it sends
 */
export function grantSendMail(
  scope: Construct,
  role: IRole,
  settings: StageSettings,
  sets: readonly (keyof MailSets)[],
): void {
  const names = mailSetsOf(scope, settings);
  if (names === null) return;
  const sender = mailSenderAddress(settings);
  const stack = Stack.of(scope);
  // While an account is in SES' sandbox, SES also requires the right for the receiver's identity, and both identities
  // are in this account. So the right is bound to the sender's address instead.
  const identities = stack.formatArn({ service: 'ses', resource: 'identity', resourceName: '*' });
  const policy = new ManagedPolicy(scope, 'SendMail', {
    statements: [
      new PolicyStatement({
        actions: ['ses:SendEmail'],
        resources: [identities, ...sets.map((set) => mailSetARN(scope, names[set]))],
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
