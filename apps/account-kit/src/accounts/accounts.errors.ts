import { DAY_SECONDS, SECOND_MS, tooManyRequests } from '@app/common';

/** Seconds until the next UTC day. */
const secondsOfDayLeft = () => DAY_SECONDS - (Math.floor(Date.now() / SECOND_MS) % DAY_SECONDS);

export const newAccountLimitExceeded = () =>
  tooManyRequests(
    'new_account_limit_exceeded',
    'Your client application has asked for too many new users today: try again tomorrow (UTC).',
    { retryAfter: secondsOfDayLeft() },
  );
