// Mail: people sign up by it, so a stage needs a sender that SES has verified, and SES has to send to strangers.
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { mailSenderAddress } from '../../../lib/shared/mail-sender.ts';
import { absentIf, awsOptions, type Check, type CheckContext, found } from '../check.ts';
import { stands, templateOf } from '../template-changes/standing-templates.ts';

export const mailSender: Check = {
  name: 'Sender of mails',
  async run({ command: { settings, settingsOf, isShared } }) {
    const address = mailSenderAddress(settings);
    const row = { what: 'Sender of mails', needed: 'mailFrom or domain', found: address || 'neither' };
    return [
      found(row, address !== '' ? 'there' : isShared ? 'missing' : 'warning', [
        `In lib/stages.ts, give ${settingsOf} a mailFrom or a domain: without mails, users cannot sign up.`,
      ]),
    ];
  },
};

export const mailAccess: Check = {
  name: 'SES',
  async run({ command, aws }) {
    const { ProductionAccessEnabled, SendingEnabled = true } = await new SESv2Client(aws).send(
      new GetAccountCommand({}),
    );
    const row = { what: 'SES', needed: 'production access' };
    if (!SendingEnabled) return [found({ ...row, found: 'sending is paused' }, 'warning', ['Ask AWS Support why.'])];
    return [
      found(
        { ...row, found: ProductionAccessEnabled ? 'there' : 'sandbox' },
        ProductionAccessEnabled ? 'there' : 'warning',
        [
          'SES sends mails only to verified addresses. Before strangers sign up:',
          `$ aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL ` +
            `--website-url https://YOUR.SITE ${awsOptions(command)}`,
        ],
      ),
    ];
  },
};

export const mailIdentity: Check = {
  name: 'SES identity',
  async run(context) {
    const { command, aws } = context;
    const { mailFrom, domain } = command.settings;
    const name = mailFrom ?? domain?.name;
    if (name === undefined) return [];
    const identity = await new SESv2Client(aws)
      .send(new GetEmailIdentityCommand({ EmailIdentity: name }))
      .catch(absentIf('NotFoundException'));
    const row = { what: 'SES identity of the sender', needed: `${name}, made by the stack Identity, then verified` };
    if (identity !== null && !(await hasMade(name, context)))
      return [
        found({ ...row, found: 'made outside this stage' }, 'missing', [
          'CloudFormation cannot create an identity that already exists. ' +
            `Choose another ${mailFrom === null ? 'domain, or a mailFrom' : 'mailFrom'}, or delete it:`,
          `$ aws sesv2 delete-email-identity --email-identity ${name} ${awsOptions(command)}`,
        ]),
      ];
    if (identity?.VerifiedForSendingStatus) return [found({ ...row, found: 'verified' }, 'there')];
    const confirm =
      mailFrom === null
        ? 'SES verifies the domain by records in its zone, within 72 hours of the deployment.'
        : `After the deployment of Identity, open the mail that SES sends to ${mailFrom}, and confirm.`;
    return [found({ ...row, found: identity ? 'not verified' : 'not made yet' }, 'warning', [confirm])];
  },
};

/** Whether the stage that stands has made this identity. */
async function hasMade(identity: string, { command, aws, ownStacks }: CheckContext): Promise<boolean> {
  const stack = `${command.stage}-Identity`;
  const isThere = (await ownStacks()).some((own) => own.StackName === stack && stands(own));
  if (!isThere) return false;
  const { Resources } = await templateOf(stack, new CloudFormationClient(aws));
  return Object.values(Resources).some(
    ({ Type, Properties }) => Type === 'AWS::SES::EmailIdentity' && Properties?.['EmailIdentity'] === identity,
  );
}
