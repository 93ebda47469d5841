import type { OperatorAction } from './operators.service.js';

const APPLICATION = 'application:';

/** For the audit log: a client application has its own id there, so that its page shows all that was done to it. */
export function toFreezeAction(
  action: 'freeze.set' | 'freeze.removed',
  freezeId: string,
  reason?: string,
): OperatorAction {
  const clientId = freezeId.startsWith(APPLICATION) ? freezeId.slice(APPLICATION.length) : undefined;
  return {
    action,
    target: clientId ?? freezeId,
    ...(reason === undefined ? {} : { details: { reason } }),
    // One that was deleted can be unfrozen, too.
    ...(action === 'freeze.set' && clientId !== undefined ? { clientId } : {}),
  };
}
