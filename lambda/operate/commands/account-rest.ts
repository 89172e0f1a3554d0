// Commands that disable accounts, put them on hold, and undo both. Users of accounts on hold can still read.
import type { Database } from '../../data/database.ts';
import type { User } from '../../data/accounts/users.ts';
import { operatorCommand, shortText, userArg } from '../command.ts';
import type { Outcome } from '../command.ts';
import { foundUser } from '../found-user.ts';

const told = { told: { says: 'what the user is told, such as whom to write to', value: shortText } };

export const disableUser = operatorCommand({
  noun: 'user',
  verb: 'disable',
  summary: 'locks a user out: streams stop, schedules and webhooks rest, starts are refused',
  changes: true,
  args: { user: userArg },
  handle: ({ data }, { user }) => rest(data, user, 'is disabled', (id) => data.users.disable(id)),
});

export const enableUser = operatorCommand({
  noun: 'user',
  verb: 'enable',
  summary: 'undoes “disable”: schedules and webhooks go on; streams that stopped stay so',
  changes: true,
  args: { user: userArg },
  handle: ({ data }, { user }) => wake(data, user, 'is enabled', (id) => data.users.enable(id)),
});

export const holdUser = operatorCommand({
  noun: 'user',
  verb: 'hold',
  summary: 'puts an account on hold for abuse: as “disable”, but the user can sign in, read, and delete',
  changes: true,
  args: { user: userArg },
  options: told,
  handle: ({ data }, { user, options }) =>
    rest(data, user, 'is on hold', (id) => data.users.hold(id, options['told'] ?? null)),
});

export const releaseUser = operatorCommand({
  noun: 'user',
  verb: 'release',
  summary: 'undoes “hold”',
  changes: true,
  args: { user: userArg },
  handle: ({ data }, { user }) => wake(data, user, 'is off hold', (id) => data.users.release(id)),
});

async function rest(data: Database, name: string, what: string, change: Change): Promise<Outcome> {
  const user = await foundUser(data, name);
  if (!(await change(user.id))) return { says: `${user.email} ${what} already.`, subjects: [user.id] };
  const streams = await data.streams.findMany(user.id, await data.creditAccounts.runningStreams(user.id));
  return {
    says: `${user.email} ${what}. Streams of theirs that stop: ${streams.length}.`,
    rows: streams.map(({ id, name: title, state }) => ({ stream: id, name: title, state })),
    subjects: [user.id, ...streams.map(({ id }) => id)],
    settles: user.id,
  };
}

async function wake(data: Database, name: string, what: string, change: Change): Promise<Outcome> {
  const user = await foundUser(data, name);
  if (!(await change(user.id))) return { says: `${user.email} ${what} already.`, subjects: [user.id] };
  return {
    says: `${user.email} ${what}. ${stillAtRest(await foundUser(data, name))}`.trim(),
    subjects: [user.id],
    settles: user.id,
  };
}

/** @returns whether anything was changed */
type Change = (userID: string) => Promise<boolean>;

function stillAtRest({ disabled_at: disabled, held_at: held }: User): string {
  if (disabled) return 'They are still disabled.';
  return held ? 'The account is still on hold.' : '';
}
