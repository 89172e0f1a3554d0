// The time that guides take is paid in advance, by the link that is read and by its user together.
// Decision D279.
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import type { PlanningBudget } from '../../orchestration/programme/planning-turns.ts';
import type { Service } from '../service.ts';
import { payingInAdvance } from './call-time.ts';

/** The stream of a link, and its user. */
export interface GuideOwner {
  readonly streamID: string;
  readonly userID: string;
}

/**
 * Makes a guide, whose time is paid before anything is read, and as it continues. The remainder is given back.
 * @param make with a budget, which throws as this function does
 * @throws {ProblemError} rate_limited, with Retry-After
 */
export async function payingForGuide<Result>(
  service: Service,
  { streamID, userID }: GuideOwner,
  make: (budget: PlanningBudget) => Promise<Result>,
): Promise<Result> {
  const payers = { userID, subjects: [`guide of ${streamID}`, subjectOfUser(userID)] };
  return payingInAdvance(service, payers, 'guide', (time) =>
    // The whole time counts, of a processor or of the database.
    make({ use: () => {}, useDatabase: () => {}, assertMayContinue: () => time.assertMayContinue() }),
  );
}
