// Finds the user that an operator names.
import type { Database } from '../data/database.ts';
import type { User } from '../data/accounts/users.ts';
import { OperatorRefusal } from './command.ts';

/** @param name an e-mail address or an id @throws {OperatorRefusal} if there is no such user */
export async function foundUser(data: Database, name: string): Promise<User> {
  const user = await data.users.named(name);
  if (!user) throw new OperatorRefusal(`There is no user ${name}. Look for part of the address with: user find TEXT`);
  return user;
}
