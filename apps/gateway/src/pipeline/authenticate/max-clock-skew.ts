import { MINUTE_MS } from '@app/common';
/** How far the clock of an issuer or a wallet may be ahead. */
export const MAX_CLOCK_SKEW_MS = MINUTE_MS;
