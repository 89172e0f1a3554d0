// Remembers in this process the time of calls that the next call of the same user counts, in its own statement.
// Decision D271.
import type { UncountedWork } from '../../data/shared/request-windows.ts';

/** The most users and credentials that are remembered. */
const maxRemembered = 5000;

const none: UncountedWork = { ms: 0, began: null };

export interface UncountedWorks {
  /** Remembers the user of a credential, which is not known when its next call arrives. */
  know(credential: string, userID: string): void;
  /** Adds time that is still to be counted. @returns all that is */
  add(userID: string, requestClass: string, work: UncountedWork): UncountedWork;
  /** Counts the remembered time of the user of a credential. It stays remembered if `count` fails. */
  count<Counted>(
    credential: string,
    requestClass: string,
    count: (work: UncountedWork) => Promise<Counted>,
  ): Promise<Counted>;
}

export function createUncountedWorks(): UncountedWorks {
  const users = new Map<string, string>();
  const works = new Map<string, UncountedWork>();
  const accountOf = (userID: string, requestClass: string) => `${requestClass} of ${userID}`;
  const add: UncountedWorks['add'] = (userID, requestClass, { ms, began }) => {
    const account = accountOf(userID, requestClass);
    const before = works.get(account) ?? none;
    // A window that has ended takes nothing back.
    const keptMs = before.ms > 0 || before.began === began ? before.ms : 0;
    const work = { ms: keptMs + ms, began };
    remember(works, account, work);
    return work;
  };
  return {
    know: (credential, userID) => remember(users, credential, userID),
    add,
    async count(credential, requestClass, count) {
      const userID = users.get(credential);
      if (userID === undefined) return count(none);
      const account = accountOf(userID, requestClass);
      const work = works.get(account) ?? none;
      works.delete(account);
      try {
        return await count(work);
      } catch (error) {
        add(userID, requestClass, work);
        throw error;
      }
    },
  };
}

/** Sets an entry, and forgets the oldest one if there are too many. */
function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size > maxRemembered) entries.delete(entries.keys().next().value!);
}
