import { toCapKey } from '../../caps/cap.js';
import { measureOperation } from '../../caps/measure-operation.js';
import type { CappedUse } from '../../caps/reservation.js';
import { calculateFee } from '../../solana-messages/judgement/calculate-fee.js';
import type { SolanaTransaction } from '../../solana-messages/transaction/solana-transaction.js';
import { measureTransaction } from '../../caps/measure-transaction.js';
import { decodeExecute } from '../../evm/operations/encode-execute.js';
import { toMaxGasCost } from '../../evm/operations/to-max-gas-cost.js';
import type { OperationToSign } from './load-operation-to-sign.js';
import type { TransactionToSign } from './load-transaction-to-sign.js';
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
  checkReserved(uses, reserved);
}

/**
 * A transaction has reserved the fee, of what the account or the sponsor may use. What its instructions move depends on accounts that only
 * nodes know.
 * @throws RefusedToSignError
 */
export function checkTransactionReservations(
  { caps, reserved, network, sponsor }: TransactionToSign,
  { signers, staticKeys, instructions }: SolanaTransaction,
): void {
  if (!caps || caps.length === 0) return;
  const fee = calculateFee(
    signers.length,
    instructions.map(({ programIndex, data }) => ({
      program: staticKeys[programIndex],
      data: Buffer.from(data),
    })),
  );
  const [own, sponsored] = sponsor === null ? [fee, 0n] : [0n, fee];
  const effects = { fee: own, sponsoredFee: sponsored, lamports: own, tokens: new Map() };
  checkReserved(measureTransaction(caps, { network, ...effects }), reserved);
}

function checkReserved(uses: readonly CappedUse[], reserved: OperationToSign['reserved']): void {
  for (const { cap, amount } of uses)
    if ((reserved?.[toCapKey(cap)] ?? 0n) < amount)
      throw new RefusedToSignError(`the operation has not reserved what it may use of ${toCapKey(cap)}`);
}
