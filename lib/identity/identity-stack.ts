// Sign-in and OAuth: a function of its own, as its library is large, and the address that mails to users come from.
import { Duration, Stack } from 'aws-cdk-lib';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import { authVariables } from '../../lambda/auth/environment.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { coreEnvironment, grantCore } from '../shared/core-access.ts';
import { mailSenderAddress } from '../shared/mail-sender.ts';
import type { PublicOrigin } from '../shared/public-origin.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import type { StageSettings } from '../stage-settings.ts';

export interface IdentityStackProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly database: DatabaseStack;
  readonly origin: PublicOrigin;
}

export class IdentityStack extends Stack {
  /** Answers below `/api/auth` and `/.well-known`. */
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, { settings, network, database, origin }: IdentityStackProps) {
    super(scope, id);
    const core = { settings, database, origin };
    this.function = new ServiceFunction(this, 'Auth', {
      description: 'Sign-in, OAuth 2.1 and account settings',
      entry: 'auth/auth.lambda.ts',
      variables: authVariables,
      environment: {
        ...coreEnvironment(core),
        MAIL_FROM: mailSenderAddress(settings),
        RATE_LIMIT_FACTOR: String(settings.rateLimitFactor),
      },
      // API Gateway waits no longer.
      timeout: Duration.seconds(29),
      logRetentionDays: settings.logRetentionDays,
      vpc: network.vpc,
      securityGroup: network.databaseClients,
    });
    grantCore(this, this.function.role, core);

    const identity = this.#mailIdentity(settings);
    identity?.grantSendEmail(this.function);
  }

  /** SES sends for what it has verified: an address by a mail to it, a domain by records in its zone. */
  #mailIdentity({ mailFrom, domain }: StageSettings): EmailIdentity | null {
    if (mailFrom !== null) return new EmailIdentity(this, 'MailAddress', { identity: Identity.email(mailFrom) });
    if (domain === null) return null;
    const zone = PublicHostedZone.fromPublicHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: domain.hostedZoneId,
      zoneName: domain.name,
    });
    return new EmailIdentity(this, 'MailDomain', { identity: Identity.publicHostedZone(zone) });
  }
}
