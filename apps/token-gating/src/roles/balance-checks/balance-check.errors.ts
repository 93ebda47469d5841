import { notFound, tooManyRequests } from '@app/common';

export const balanceCheckNotFound = () =>
  notFound('balance_check_not_found', 'The balance check does not exist.');

/** @param retryAfter seconds */
export const balanceCheckTooSoon = (retryAfter: number) =>
  tooManyRequests(
    'balance_check_limit_exceeded',
    `A check of this community was requested recently: try again in ${retryAfter} seconds.`,
    { retryAfter },
  );
