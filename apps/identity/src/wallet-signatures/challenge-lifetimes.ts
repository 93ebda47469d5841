import { HOUR_MS, MINUTE_MS } from '@app/common';

/** A person with one key signs at once. */
export const KEY_CHALLENGE_LIFETIME_MS = 10 * MINUTE_MS;

/**
 * The owners of a contract account sign one after the other, or approve the message in transactions. The text of a challenge that a
 * contract account may answer names this time, because only the signature tells what answers: its account may not be deployed yet.
 */
export const CONTRACT_CHALLENGE_LIFETIME_MS = HOUR_MS;

/** Expired challenges stay for an hour, so that a late answer is told that its challenge has expired. */
export const EXPIRED_CHALLENGE_RETENTION = '1 hour';
