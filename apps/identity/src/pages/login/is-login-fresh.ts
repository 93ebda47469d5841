import type { Interaction } from '../consent/interaction.service.js';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';

/** Prompt reasons that an earlier login satisfies. All others require a new login. */
const REASONS_MET_BY_EARLIER_LOGIN = new Set(['no_session', 'other_user', 'max_age']);

/** Whether a login satisfies an authorization request: it was made for this request, or the request accepts an earlier one. */
export function isLoginFresh(
  { uid, reasons, maxAge }: Pick<Interaction, 'uid' | 'reasons' | 'maxAge'>,
  { signedInFor, signedInAt }: Pick<SessionUser, 'signedInFor' | 'signedInAt'>,
  now = Date.now(),
): boolean {
  if (signedInFor === uid) return true;
  if (reasons.some((reason) => !REASONS_MET_BY_EARLIER_LOGIN.has(reason))) return false;
  return maxAge === undefined || now - signedInAt.getTime() <= maxAge * 1_000;
}
