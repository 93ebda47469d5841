import { Injectable } from '@nestjs/common';
import base58 from 'bs58';
import { judgeTransaction, type JudgeOptions } from '../messages/judgement/judge-transaction.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../messages/judgement/instruction.js';
import {
  listUnknownTokenAccounts,
  type SolanaEffects,
  sumEffects,
} from '../messages/judgement/sum-effects.js';
import type { SolanaSponsor } from '../messages/solana-sponsor.config.js';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import type { SolanaNetwork } from '../messages/solana-network.js';
import {
  checkForeignSignatures,
  type SolanaTransaction,
} from '../messages/transaction/solana-transaction.js';
import { type AccountState, resolveKeys } from '../messages/transaction/resolve-keys.js';
import { simulateSponsored, simulateTransaction } from './simulate-transaction.js';

const TOKEN_PROGRAMS: readonly string[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
const TOKEN_ACCOUNT_BYTES = 165;

/** A sponsor with its lamports, of which transactions in flight are not taken off. */
export interface SponsorFunds extends SolanaSponsor {
  readonly lamports: bigint;
}

export interface JudgedTransaction {
  readonly effects: SolanaEffects;
  /** What pays the fee unless the account does. */
  readonly sponsor: SponsorFunds | undefined;
  /**
   * The height of the cluster at the time of the simulation, which found the blockhash: the blockhash is at most some
   * blocks newer.
   */
  readonly blockHeight: bigint;
}

/** Judges a transaction before it is accepted, with what the network says of its accounts. */
@Injectable()
export class JudgeTransactionService {
  constructor(private readonly nodes: SolanaNodesService) {}

  /** @throws AppError 400, 403 `policy_forbidden`, 409 `would_revert`, `account_funds_required`, 503 `chain_unavailable` or `sponsor_unavailable` */
  judge(
    network: SolanaNetwork,
    transaction: SolanaTransaction,
    options: JudgeOptions & { readonly clientId: string },
  ): Promise<JudgedTransaction> {
    const { account, sponsor, clientId } = options;
    const ownSigners = transaction.signers.filter(
      (signer, index) => signer === account || (index === 0 && signer === sponsor?.address),
    );
    checkForeignSignatures(transaction, ownSigners);
    return this.nodes.use(network, async (node) => {
      const tables = await node.getAccounts(
        clientId,
        transaction.lookups.map(({ table }) => table),
      );
      const judgement = judgeTransaction(transaction, resolveKeys(transaction, tables), options);
      const tokenAccounts = await node.getAccounts(clientId, listUnknownTokenAccounts(judgement));
      const effects = sumEffects(judgement, readMints(tokenAccounts));
      const payer = judgement.feePayer === 'sponsor' ? sponsor : undefined;
      const cost = { clientId, account, lamports: effects.lamports };
      const simulate = async (): Promise<SponsorFunds | undefined> => {
        if (!payer) {
          await simulateTransaction(node, transaction.wire, cost);
          return undefined;
        }
        const options = { ...cost, sponsor: payer.address, fee: judgement.fee };
        return { ...payer, lamports: await simulateSponsored(node, transaction.wire, options) };
      };
      const [blockHeight, funds] = await Promise.all([node.getProcessedHeight(), simulate()]);
      return { effects, sponsor: funds, blockHeight };
    });
  }
}

/** A token account begins with its mint. */
const readMints = (accounts: ReadonlyMap<string, AccountState>): ReadonlyMap<string, string> =>
  new Map(
    [...accounts]
      .filter(
        ([, { programId, data }]) => TOKEN_PROGRAMS.includes(programId) && data.length >= TOKEN_ACCOUNT_BYTES,
      )
      .map(([address, { data }]) => [address, base58.encode(data.subarray(0, 32))]),
  );
