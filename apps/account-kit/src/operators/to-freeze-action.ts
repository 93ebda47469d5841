import { getFrozenClientId } from '@app/dto';
import type { OperatorAction } from './operators.service.js';

export function toFreezeAction(
  action: 'freeze.set' | 'freeze.removed',
  freezeId: string,
  reason?: string,
): OperatorAction {
  const clientId = getFrozenClientId(freezeId);
  return {
    action,
    target: clientId ?? freezeId,
    ...(reason === undefined ? {} : { details: { reason } }),
    // A freeze that was deleted meanwhile can be unfrozen, too.
    ...(action === 'freeze.set' && clientId !== undefined ? { clientId } : {}),
  };
}
