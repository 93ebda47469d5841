import { DAY_SECONDS, notFound, SECOND_MS, tooManyRequests } from '@app/common';

/** Seconds until the next UTC day. */
const secondsOfDayLeft = () => DAY_SECONDS - (Math.floor(Date.now() / SECOND_MS) % DAY_SECONDS);

export const accountNotFound = () =>
  notFound('account_not_found', 'The account does not exist yet: read its addresses once, which makes it.');

export const newAccountLimitExceeded = () =>
  tooManyRequests(
    'new_account_limit_exceeded',
    'Your client application has asked for too many new users today: try again tomorrow (UTC).',
    { retryAfter: secondsOfDayLeft() },
  );
