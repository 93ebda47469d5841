import type { Queryable } from '@app/database';
import { describeCap } from '../limits/cap.js';
import { type NewReservations, reserve } from '../limits/reservations.queries.js';
import { policyForbidden, policyLimitExceeded } from './rules/policies.errors.js';

/**
 * Reserves what an operation may use, in the transaction that accepts it.
 * @throws AppError 403 `policy_limit_exceeded`, or `policy_forbidden` for more than a whole cap
 */
export async function reserveWithinCaps(db: Queryable, request: NewReservations): Promise<void> {
  const [full = []] = await reserve(db, [request]);
  if (full.length === 0) return;
  const reservations = request.reservations.filter(({ key }) => full.includes(key));
  const tooLarge = reservations.find(({ cap, amount }) => amount > cap.max);
  if (tooLarge) {
    const { cap, amount } = tooLarge;
    throw policyForbidden(`it may use ${amount}, and the limit is ${describeCap(cap)}`);
  }
  const last = reservations.reduce((one, other) => (other.periodEnd > one.periodEnd ? other : one));
  throw policyLimitExceeded(describeCap(last.cap), last.periodEnd);
}
