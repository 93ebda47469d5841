import { unauthorized } from '@app/common';

/** One answer for a credential that is missing, malformed, unknown, revoked or expired: it teaches nothing. */
export const noValidCredential = () => unauthorized('unauthorized', 'A valid credential is needed here.');
