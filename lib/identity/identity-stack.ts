// Sign-in and OAuth: their function, and the SES identity that sends mails to users.
import { Duration, Stack } from 'aws-cdk-lib';
import {
  CloudWatchDimensionSource,
  ConfigurationSet,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import { authVariables } from '../../lambda/auth/environment.ts';
import { settingsAsVariables } from '../../lambda/settings.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { coreEnvironment } from '../shared/core-access.ts';
import { grantSendMail, mailSenderAddress, type MailSets, mailSetsOf } from '../shared/mail-sender.ts';
import type { PublicOrigin } from '../shared/public-origin.ts';
import { FunctionRelease } from '../shared/function-release.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { StageZone } from '../web/stage-zone.ts';

export interface IdentityStackProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly database: DatabaseStack;
  readonly origin: PublicOrigin;
  readonly zone: StageZone;
}

export class IdentityStack extends Stack {
  /** Handles all paths below `/api/auth` and `/.well-known`. */
  readonly function: ServiceFunction;
  /** The alias that callers of the function invoke. */
  readonly release: FunctionRelease;
  /** Null for a stage that sends no mails. */
  readonly mailSets: MailSets | null;

  constructor(scope: Construct, id: string, { settings, network, database, origin, zone }: IdentityStackProps) {
    super(scope, id);
    this.mailSets = mailSetsOf(this, settings);
    const unfundedMails = this.mailSets && this.#mailSet('UnfundedMails', this.mailSets.unfunded);
    const unconfirmedMails = this.mailSets && this.#mailSet('UnconfirmedMails', this.mailSets.unconfirmed);
    this.function = new ServiceFunction(this, 'Auth', {
      description: 'Sign-in, OAuth 2.1 and account settings',
      entry: 'auth/auth.lambda.ts',
      variables: authVariables,
      environment: {
        ...coreEnvironment({ settings, database, origin }),
        MAIL_FROM: mailSenderAddress(settings),
        UNFUNDED_MAILS: unfundedMails?.configurationSetName ?? '',
        UNCONFIRMED_MAILS: unconfirmedMails?.configurationSetName ?? '',
        ...settingsAsVariables({ ...settings, liveIngest: null }),
      },
      // API Gateway waits no longer for an answer.
      timeout: Duration.seconds(29),
      logRetentionDays: settings.logRetentionDays,
      traced: settings.tracing,
      vpc: network.vpc,
      securityGroup: network.databaseClients,
    });
    const { role } = this.function;
    for (const policy of [database.connectAccess, database.unsealAccess, database.signAccess])
      role.addManagedPolicy(policy);
    origin.grantRead(role);

    grantSendMail(this, this.function.role, settings, ['funded', 'unfunded', 'unconfirmed']);
    this.release = new FunctionRelease(this, 'AuthRelease', this.function);
    this.#mailIdentity(settings, zone);
  }

  /**
   * SES sends mails only from a verified identity: an address verified by a mail to it, or a domain verified by records
   * in its zone. A stage with neither sends no mails.
   */
  #mailIdentity(settings: StageSettings, stageZone: StageZone): void {
    if (this.mailSets === null) return;
    const { mailFrom, domain } = settings;
    const configurationSet = this.#mailSet('Mails', this.mailSets.funded);
    if (mailFrom !== null) {
      new EmailIdentity(this, 'MailAddress', { identity: Identity.email(mailFrom), configurationSet });
      return;
    }
    if (domain === null) return;
    const zone = stageZone.in(this);
    new EmailIdentity(this, 'MailDomain', { identity: Identity.publicHostedZone(zone), configurationSet });
  }

  /**
   * Counts bounces and complaints about spam. SES pauses an account that has too many of them. SES sends no further
   * mail to an address that bounced or complained.
   */
  #mailSet(id: string, configurationSetName: string): ConfigurationSet {
    const mails = new ConfigurationSet(this, id, {
      configurationSetName,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    mails.addEventDestination('Refused', {
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
      // SES adds a tag with the name of its configuration set to every mail.
      destination: EventDestination.cloudWatchDimensions([
        { source: CloudWatchDimensionSource.MESSAGE_TAG, name: 'ses:configuration-set', defaultValue: 'none' },
      ]),
    });
    return mails;
  }
}
