import { notFound, tooManyRequests } from '@app/common';

export const balanceCheckNotFound = () =>
  notFound('balance_check_not_found', 'There is no such balance check.');

/** @param retryAfter seconds */
export const balanceCheckTooSoon = (retryAfter: number) =>
  tooManyRequests(
    'balance_check_limit_exceeded',
    `The members of this community were checked a moment ago. Ask again in ${retryAfter} seconds.`,
    { retryAfter },
  );
