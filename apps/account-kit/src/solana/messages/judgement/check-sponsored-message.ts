import { solanaPolicyForbidden, solanaTransactionInvalid } from '../solana-message.errors.js';
import type { SolanaSponsor } from '../solana-sponsor.config.js';
import type { SolanaTransaction } from '../transaction/solana-transaction.js';
import { calculateExactFee } from './calculate-fee.js';

const FEE_PAYER_INDEX = 0;

/**
 * Checks without a node that a sponsor pays the fee of a transaction of the account and nothing else. The signer process does the same
 * before the sponsor signs. Keys of tables are never signers, and the runtime refuses those that are in the message, too.
 * @returns the fee, to the lamport
 * @throws AppError 400 unless the sponsor is the fee payer and the account signs, 403 for what a sponsor does not pay
 */
export function checkSponsoredMessage(
  { signers, staticKeys, instructions }: Pick<SolanaTransaction, 'signers' | 'staticKeys' | 'instructions'>,
  { account, sponsor }: { readonly account: string; readonly sponsor: SolanaSponsor },
): bigint {
  if (signers[FEE_PAYER_INDEX] !== sponsor.address)
    throw solanaTransactionInvalid(`the sponsor ${sponsor.address} must pay the fee`);
  if (!signers.includes(account, FEE_PAYER_INDEX + 1))
    throw solanaTransactionInvalid(`the account ${account} must be a signer`);
  const isSponsorUsed = instructions.some(
    ({ programIndex, accountIndexes }) =>
      programIndex === FEE_PAYER_INDEX || accountIndexes.includes(FEE_PAYER_INDEX),
  );
  if (isSponsorUsed || staticKeys.includes(sponsor.address, FEE_PAYER_INDEX + 1))
    throw solanaPolicyForbidden('the sponsor of its fee occurs in an instruction');
  const fee = calculateExactFee(
    signers.length,
    instructions.map(({ programIndex, data }) => ({
      program: staticKeys[programIndex],
      data: Buffer.from(data),
    })),
  );
  if (fee > sponsor.maxLamports)
    throw solanaPolicyForbidden(
      `its fee of ${fee} lamports exceeds the ${sponsor.maxLamports} that the sponsor pays`,
    );
  return fee;
}
