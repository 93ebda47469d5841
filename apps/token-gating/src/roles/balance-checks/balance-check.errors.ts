import { notFound, tooManyRequests } from '@app/common';
import {
  MAX_REQUESTS_A_DAY_WITHOUT_APPLICATION,
  REMEDY_WITHOUT_APPLICATION,
} from '../../communities/without-application/rule-limits.js';

export const balanceCheckNotFound = () =>
  notFound('balance_check_not_found', 'The balance check does not exist.');

/** @param retryAfter seconds */
export const balanceCheckTooSoon = (retryAfter: number) =>
  tooManyRequests(
    'balance_check_limit_exceeded',
    `A check of this community was requested recently: try again in ${retryAfter} seconds.`,
    { retryAfter },
  );

/** @param retryAfter seconds */
export const balanceChecksUsedUp = (retryAfter: number) =>
  tooManyRequests(
    'balance_check_limit_exceeded',
    `At most ${MAX_REQUESTS_A_DAY_WITHOUT_APPLICATION} checks of this community are requested in 24 hours: ${REMEDY_WITHOUT_APPLICATION}.`,
    { retryAfter },
  );
