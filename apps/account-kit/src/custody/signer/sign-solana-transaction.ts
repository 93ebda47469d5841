import { createBatcher } from '@app/common';
import type { KeyObject } from 'node:crypto';
import { checkSponsoredMessage } from '../../solana/messages/judgement/check-sponsored-message.js';
import { signSolanaMessage, toSolanaAddress } from '../../solana/messages/solana-keys.js';
import type { SolanaSponsorKeys } from '../../solana/messages/solana-sponsor.config.js';
import { decodeWireTransaction } from '../../solana/messages/transaction/decode-transaction.js';
import { type SolanaTransaction, toWire } from '../../solana/messages/transaction/solana-transaction.js';
import type { AccountKeyring } from '../stored-keys/account-keyring.js';
import type { TransactionToSign, TransactionToSignLoader } from './load-transaction-to-sign.js';
import { type DeploymentRules, judgeStoredTransaction, refuseForbidden } from './judge-stored.js';
import { FROZEN, RefusedToSignError } from '../key-vault.errors.js';
import type { SolanaSignature } from './signer-messages.js';

type SolanaMessageSigner = typeof signSolanaMessage;

/** Messages that are signed in one turn of the event loop have their signatures together, because they are stored together. */
export function createSolanaMessageSigner(): SolanaMessageSigner {
  const together = createBatcher((all: readonly Promise<Buffer | Error>[]) => Promise.all(all), {
    batchWindowMs: 0,
    isParallel: true,
  });
  return (...message) =>
    together.load(signSolanaMessage(...message).catch((error: unknown) => error as Error));
}

/**
 * Signs the message of a stored transaction with the key that its account has on the network, and with that of the sponsor if the row
 * names one.
 * @throws RefusedToSignError unless the row is `accepted`, and its message a transaction of the account whose fee the account or the
 *   named sponsor pays, and which the policy of now allows
 */
export async function signSolanaTransaction(
  load: TransactionToSignLoader,
  {
    keyring,
    sponsors,
    rules,
    sign,
    transactionId,
  }: {
    readonly keyring: AccountKeyring;
    readonly sponsors: SolanaSponsorKeys;
    readonly rules: DeploymentRules;
    readonly sign: SolanaMessageSigner;
    readonly transactionId: string;
  },
): Promise<SolanaSignature[]> {
  const row = await load(transactionId);
  if (row === undefined) throw new RefusedToSignError('there is no such transaction');
  const { state, isFrozen, network, message, solanaAddresses } = row;
  if (state !== 'accepted') throw new RefusedToSignError(`the transaction is ${state}`);
  if (isFrozen) throw new RefusedToSignError(FROZEN);
  const key = await keyring.openSolanaKey(row, network);
  const account = toSolanaAddress(key);
  if (account !== solanaAddresses[network])
    throw new RefusedToSignError('the account has another key on the network');
  const transaction = refuseForbidden(() => decodeWireTransaction(toWire(row)));
  if (!transaction.signers.includes(account))
    throw new RefusedToSignError('the account is not a signer of the transaction');
  const sponsorKey = findSponsorKey(row, { sponsors, transaction, account });
  const sponsor =
    row.sponsor === null ? undefined : { address: row.sponsor, maxLamports: sponsors.maxLamports };
  judgeStoredTransaction(row, transaction, { account, sponsor, rules });
  const keys = sponsorKey ? [sponsorKey, key] : [key];
  return Promise.all(
    keys.map(async (own) => {
      const address = toSolanaAddress(own);
      return { address, signature: (await sign(own, { message, address })).toString('base64') };
    }),
  );
}

/** The key of the fee payer unless that is the account. */
function findSponsorKey(
  { sponsor, network }: TransactionToSign,
  {
    sponsors: { byNetwork, maxLamports },
    transaction,
    account,
  }: {
    readonly sponsors: SolanaSponsorKeys;
    readonly transaction: SolanaTransaction;
    readonly account: string;
  },
): KeyObject | undefined {
  if (transaction.signers[0] !== (sponsor ?? account))
    throw new RefusedToSignError('another account pays the fee of the transaction');
  if (sponsor === null) return undefined;
  const key = byNetwork.get(network);
  if (key === undefined || toSolanaAddress(key) !== sponsor)
    throw new RefusedToSignError('the transaction has another sponsor than its network');
  refuseForbidden(() =>
    checkSponsoredMessage(transaction, { account, sponsor: { address: sponsor, maxLamports } }),
  );
  return key;
}
