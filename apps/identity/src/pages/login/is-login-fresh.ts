import type { Interaction } from '../consent/interaction.service.js';
import type { SessionUser } from '../../browser-sessions/browser-session-store.js';

/** What an earlier login answers; whatever else is asked for wants a new one. */
const REASONS_MET_BY_EARLIER_LOGIN = new Set(['no_session', 'other_user', 'max_age']);

/** Whether a login answers a request: it was made for this very one, or it is good enough as it is. */
export function isLoginFresh(
  { uid, reasons, maxAge }: Pick<Interaction, 'uid' | 'reasons' | 'maxAge'>,
  { signedInFor, signedInAt }: Pick<SessionUser, 'signedInFor' | 'signedInAt'>,
  now = Date.now(),
): boolean {
  if (signedInFor === uid) return true;
  if (reasons.some((reason) => !REASONS_MET_BY_EARLIER_LOGIN.has(reason))) return false;
  return maxAge === undefined || now - signedInAt.getTime() <= maxAge * 1_000;
}
