// Checks mail: sign-up needs a sender that SES has verified, and an SES account outside the sandbox.
import { z } from 'zod';
import { mailSenderAddress } from '../../../lib/shared/mail-sender.ts';
import { awsOptions, type Check, type Finding, type LocalCheck, orAbsent } from '../check.ts';
import { stageStands } from '../standing-stage.ts';

const accountAnswer = z.object({ ProductionAccessEnabled: z.boolean(), SendingEnabled: z.boolean().optional() });
const identityAnswer = z.object({ VerifiedForSendingStatus: z.boolean() });

export const mailSender: LocalCheck = {
  name: 'Sender of mails',
  run({ command: { settings, settingsOf, isShared } }) {
    const address = mailSenderAddress(settings);
    const row = { what: 'Sender of mails', needed: 'mailFrom or domain', found: address || 'neither' };
    if (address !== '') return Promise.resolve([{ ...row, state: 'there', remedy: [] }]);
    const finding: Finding = isShared
      ? {
          ...row,
          state: 'missing',
          remedy: [`In lib/stages.ts, give ${settingsOf} a mailFrom or a domain: without mails nobody can sign up.`],
        }
      : { ...row, state: 'warning', remedy: [`Nobody can sign up: set mailFrom of ${settingsOf} in lib/stages.ts.`] };
    return Promise.resolve([finding]);
  },
};

export const mailAccess: Check = {
  name: 'SES',
  async run({ command, ask }) {
    const { ProductionAccessEnabled, SendingEnabled = true } = await ask({
      service: 'email',
      action: 'GetAccount',
      path: '/v2/email/account',
      answer: accountAnswer,
    });
    const row = { what: 'SES', needed: 'production access' };
    if (!SendingEnabled)
      return [{ ...row, found: 'sending is paused', state: 'warning', remedy: ['Ask AWS Support why.'] }];
    if (ProductionAccessEnabled) return [{ ...row, found: 'there', state: 'there', remedy: [] }];
    return [
      {
        ...row,
        found: 'sandbox',
        state: 'warning',
        remedy: [
          'Only addresses that SES has verified get mails. Before strangers sign up:',
          `$ aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL ` +
            `--website-url https://YOUR.SITE ${awsOptions(command)}`,
        ],
      },
    ];
  },
};

export const mailIdentity: Check = {
  name: 'SES identity',
  async run(context) {
    const { command, ask } = context;
    if (mailSenderAddress(command.settings) === '') return [];
    const { mailFrom, domain } = command.settings;
    const name = mailFrom ?? domain?.name;
    if (name === undefined) return [];
    const question = ask({
      service: 'email',
      action: 'GetEmailIdentity',
      path: `/v2/email/identities/${encodeURIComponent(name)}`,
      answer: identityAnswer,
    });
    const [identity, stands] = await Promise.all([orAbsent(question, 'NotFoundException'), stageStands(context)]);
    const row = { what: 'SES identity of the sender', needed: `${name}, made by the stack Identity, then verified` };
    if (identity !== null && stands === false)
      return [
        {
          ...row,
          found: 'made by somebody else',
          state: 'missing',
          remedy: [
            'CloudFormation makes no identity that is there already. Take another mailFrom, or delete it:',
            `$ aws sesv2 delete-email-identity --email-identity ${name} ${awsOptions(command)}`,
          ],
        },
      ];
    if (identity?.VerifiedForSendingStatus) return [{ ...row, found: 'verified', state: 'there', remedy: [] }];
    const confirm =
      mailFrom === null
        ? 'SES verifies the domain by records in its zone, within 72 hours of the deployment.'
        : `When Identity has been deployed, open the mail that SES sends to ${mailFrom}, and confirm.`;
    return [{ ...row, found: identity ? 'not verified' : 'not made yet', state: 'warning', remedy: [confirm] }];
  },
};
