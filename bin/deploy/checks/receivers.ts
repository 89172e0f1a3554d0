// Checks of a stage that others rely on: a receiver of its alarms, and the account that it belongs to.
import { type Check, found } from '../check.ts';

export const alarmReceiver: Check = {
  name: 'Receiver of alarms',
  async run({ command: { settings, settingsOf, isShared } }) {
    // Alarms of an engineer's own stage concern only the engineer.
    if (!isShared) return [];
    const receiver = settings.alarmEmail ?? settings.alarmTopicArn;
    const row = { what: 'Receiver of alarms', needed: 'alarmEmail or alarmTopicArn', found: receiver ?? 'neither' };
    return [
      found(row, receiver === null ? 'missing' : 'there', [
        `In lib/stages.ts, give ${settingsOf} an alarmEmail or an alarmTopicArn: its alarms need a receiver.`,
      ]),
    ];
  },
};

export const ownAccount: Check = {
  name: 'Account of the stage',
  async run({ command: { settings, settingsOf, isShared }, account }) {
    if (!isShared) return [];
    const row = { what: 'Account of the stage', needed: 'account', found: settings.account ?? 'none' };
    return [
      found(row, settings.account === null ? 'warning' : 'there', [
        `In lib/stages.ts, give ${settingsOf} the account '${account}': ` +
          'otherwise other credentials make the stage once more, in another account.',
      ]),
    ];
  },
};
