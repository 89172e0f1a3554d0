// Commands that give users features and limits of their own.
import * as z from 'zod';
import { features } from '../../data/users.ts';
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
