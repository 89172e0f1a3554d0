// Remembers in this process the time of calls that the next call of the same subject counts, in its own statement.
// Decision D271.
import { LRUCache } from 'lru-cache';
import type { UncountedWork } from '../../data/shared/request-windows.ts';

/** The most subjects and credentials that are remembered. */
const maxRemembered = 5000;

const none: UncountedWork = { ms: 0, began: null };

export interface UncountedWorks {
  /** Remembers the subject of a credential, which is not known when its next call arrives. */
  know(credential: string, subject: string): void;
  /** Adds time that is still to be counted. @returns all that is */
  add(subject: string, requestClass: string, work: UncountedWork): UncountedWork;
  /** Counts the remembered time of the subject of a credential. It stays remembered if `count` fails. */
  count<Counted>(
    credential: string,
    requestClass: string,
    count: (work: UncountedWork) => Promise<Counted>,
  ): Promise<Counted>;
}

export function createUncountedWorks(): UncountedWorks {
  const subjects = new LRUCache<string, string>({ max: maxRemembered });
  const works = new LRUCache<string, UncountedWork>({ max: maxRemembered });
  const accountOf = (subject: string, requestClass: string) => `${requestClass} of ${subject}`;
  const add: UncountedWorks['add'] = (subject, requestClass, { ms, began }) => {
    const account = accountOf(subject, requestClass);
    const before = works.get(account) ?? none;
    // A window that has ended takes nothing back.
    const keptMs = before.ms > 0 || before.began === began ? before.ms : 0;
    const work = { ms: keptMs + ms, began };
    works.set(account, work);
    return work;
  };
  return {
    know: (credential, subject) => void subjects.set(credential, subject),
    add,
    async count(credential, requestClass, count) {
      const subject = subjects.get(credential);
      if (subject === undefined) return count(none);
      const account = accountOf(subject, requestClass);
      const work = works.get(account) ?? none;
      works.delete(account);
      try {
        return await count(work);
      } catch (error) {
        add(subject, requestClass, work);
        throw error;
      }
    },
  };
}
