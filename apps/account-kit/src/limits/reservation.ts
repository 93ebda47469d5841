import { type Cap, toCapKey } from './cap.js';
import { toCapPeriod } from './cap-period.js';

/** What an operation may use of a cap at most, and what of it is used when the operation is included and reverts. */
export interface CappedUse {
  readonly cap: Cap;
  readonly amount: bigint;
  readonly ifReverted: bigint;
}

/** A part of a cap that an operation holds until what it used is known. */
export interface Reservation extends CappedUse {
  /** `toCapKey` of the cap. */
  readonly key: string;
  /** Id of the account whose operations are summed; empty for all accounts of the client application. */
  readonly subject: string;
  readonly periodStart: Date;
  readonly periodEnd: Date;
}

export const toReservations = (uses: readonly CappedUse[], accountId: string, at: Date): Reservation[] =>
  uses.map((use) => {
    const { start, end } = toCapPeriod(use.cap.period, at);
    return {
      ...use,
      key: toCapKey(use.cap),
      subject: use.cap.per === 'account' ? accountId : '',
      periodStart: start,
      periodEnd: end,
    };
  });
