// Commands that find users and show their usage.
import { limitNames } from '../../domain/shared/limits.ts';
import { operatorCommand, shortText, userArg } from '../command.ts';
import type { Row } from '../command.ts';
import { foundUser } from '../found-user.ts';

const mostFound = 50;

export const findUser = operatorCommand({
  noun: 'user',
  verb: 'find',
  summary: 'lists users whose address or id has TEXT in it',
  changes: false,
  args: { text: shortText },
  async handle({ data }, { text }) {
    const users = await data.users.search(text, mostFound);
    return {
      says: `Users with “${text}”: ${users.length === mostFound ? `the first ${mostFound}` : users.length}.`,
      rows: users.map((user) => ({
        id: user.id,
        email: user.email,
        since: user.created_at,
        disabled: user.disabled_at,
        held: user.held_at,
      })),
      subjects: [],
    };
  },
});

export const showUser = operatorCommand({
  noun: 'user',
  verb: 'show',
  summary: 'shows a user, and what they use',
  changes: false,
  args: { user: userArg },
  async handle({ data }, { user: name }) {
    const user = await foundUser(data, name);
    const use = await data.users.useOf(user.id);
    const facts: Readonly<Record<string, Row[string]>> = {
      id: user.id,
      email: user.email,
      name: user.name,
      since: user.created_at,
      disabled: user.disabled_at,
      held: user.held_at,
      'told, while held': user.held_reason,
      streamBackendEdit: user.stream_backend_edit,
      'credits left': await data.creditAccounts.creditsLeft(user.id),
      ...use,
    };
    const limited = await data.limits.facts(user.id, limitNames);
    return {
      says: `${user.email} (${user.id})`,
      rows: [
        ...Object.entries(facts).map(([what, value]) => ({ what, value, 'allowed by operators': null })),
        ...limited.map(({ limit_name: what, used, override }) => ({
          what: `limited: ${what}`,
          value: used,
          'allowed by operators': override,
        })),
      ],
      subjects: [user.id],
    };
  },
});
