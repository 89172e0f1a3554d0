// Commands that give users features and individual limits.
import * as z from 'zod';
import { features } from '../../data/accounts/users.ts';
import { limitNames } from '../../domain/shared/limits.ts';
import type { LimitName } from '../../domain/shared/limits.ts';
import { operatorCommand, userArg } from '../command.ts';
import { foundUser } from '../found-user.ts';

const names = Object.keys(features) as [keyof typeof features];

export const setFeature = operatorCommand({
  noun: 'user',
  verb: 'feature',
  summary: `switches a feature for a user: ${names.join(', ')}`,
  changes: true,
  args: {
    user: userArg,
    feature: z.enum(names, `is none of ${names.join(', ')}`),
    value: z.enum(['on', 'off'], 'is neither on nor off'),
  },
  async handle({ data }, { user: name, feature, value }) {
    const user = await foundUser(data, name);
    await data.users.setFeature(user.id, feature, value === 'on');
    return { says: `${feature} is ${value} for ${user.email}.`, subjects: [user.id] };
  },
});

export const setLimit = operatorCommand({
  noun: 'user',
  verb: 'limit',
  summary: 'allows a user another number than the table of limits, or “default”; “user show” lists the limits',
  changes: true,
  args: {
    user: userArg,
    limit: z.enum(limitNames as [LimitName, ...LimitName[]], `is none of ${limitNames.join(', ')}`),
    number: z
      .string()
      .regex(/^(?:\d{1,15}|default)$/, 'is neither a whole number nor default')
      .transform((text) => (text === 'default' ? null : Number(text))),
  },
  async handle({ data }, { user: name, limit, number }) {
    const user = await foundUser(data, name);
    await data.limits.override(user.id, limit, number);
    const says = number === null ? `has the limit of ${limit} that the table gives` : `may have ${number} ${limit}`;
    return { says: `${user.email} ${says}.`, subjects: [user.id] };
  },
});
