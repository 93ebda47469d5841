import { toCapKey } from '../../caps/cap.js';
import { measureOperation } from '../../caps/measure-operation.js';
import { decodeExecute } from '../../evm/operations/encode-execute.js';
import { toMaxGasCost } from '../../evm/operations/to-max-gas-cost.js';
import type { OperationToSign } from './load-operation-to-sign.js';
import { RefusedToSignError } from './refused-to-sign.error.js';

/**
 * Measures the stored operation again: it has reserved all that it may use of each cap. Cancellations call nothing and cost nothing.
 * @throws RefusedToSignError
 */
export function checkReservations(row: OperationToSign): void {
  const { caps, reserved, kind, chainId, version, callData } = row;
  if (!caps || caps.length === 0 || kind === 'cancellation') return;
  const uses = measureOperation(caps, {
    chainId,
    isMint: kind === 'mint',
    calls: decodeExecute(version, callData),
    maxGasCost: toMaxGasCost(row),
  });
  for (const { cap, amount } of uses)
    if ((reserved?.[toCapKey(cap)] ?? 0n) < amount)
      throw new RefusedToSignError(`the operation has not reserved what it may use of ${toCapKey(cap)}`);
}
