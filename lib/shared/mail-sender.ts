// Who mails to users come from, and the right to send them. The identity stack has SES verify it; others know it by name.
import { Stack } from 'aws-cdk-lib';
import { type IRole, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stage-settings.ts';

/** Empty where the stage has none, and sends no mails. */
export function mailSenderAddress({ mailFrom, domain }: StageSettings): string {
  return mailFrom ?? (domain ? `no-reply@${domain.name}` : '');
}

/** For a function of another stack than the one that makes the SES identity, so that neither depends on the other. */
export function grantSendMail(scope: Construct, role: IRole, { mailFrom, domain }: StageSettings): void {
  const identityName = mailFrom ?? domain?.name;
  if (identityName === undefined) return;
  const identityArn = Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName: identityName });
  role.addManagedPolicy(
    new ManagedPolicy(scope, 'SendMail', {
      statements: [new PolicyStatement({ actions: ['ses:SendEmail'], resources: [identityArn] })],
    }),
  );
}
