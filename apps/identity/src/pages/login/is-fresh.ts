import type { Interaction } from '../interactions/interactions.js';
import type { SignedIn } from '../../browser-sessions/signed-in.js';

/** What an earlier login answers; whatever else is asked for wants a new one. */
const ANSWERED_BY_OLD_LOGIN = new Set(['no_session', 'other_user', 'max_age']);

/** Whether a login answers a request: it was made for this very one, or it is good enough as it is. */
export function isFresh(
  { uid, reasons, maxAge }: Pick<Interaction, 'uid' | 'reasons' | 'maxAge'>,
  { signedInFor, signedInAt }: Pick<SignedIn, 'signedInFor' | 'signedInAt'>,
  now = Date.now(),
): boolean {
  if (signedInFor === uid) return true;
  if (reasons.some((reason) => !ANSWERED_BY_OLD_LOGIN.has(reason))) return false;
  return maxAge === undefined || now - signedInAt.getTime() <= maxAge * 1_000;
}
