import { tooManyRequests } from '@app/common';

const SECONDS_PER_DAY = 86_400;

/** Seconds until the next UTC day. */
const secondsOfDayLeft = () => SECONDS_PER_DAY - (Math.floor(Date.now() / 1_000) % SECONDS_PER_DAY);

export const newAccountLimitExceeded = () =>
  tooManyRequests(
    'new_account_limit_exceeded',
    'Your client application has asked for too many new users today: try again tomorrow (UTC).',
    { retryAfter: secondsOfDayLeft() },
  );
