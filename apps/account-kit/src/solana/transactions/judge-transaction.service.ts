import { Injectable } from '@nestjs/common';
import base58 from 'bs58';
import { judgeTransaction, type JudgeOptions } from '../judgement/judge-transaction.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../judgement/programs.js';
import { listUnknownTokenAccounts, type SolanaEffects, sumEffects } from '../judgement/sum-effects.js';
import { SolanaRequestError } from '../nodes/json-rpc-client.js';
import type { SolanaNode } from '../nodes/solana-node.js';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import { solanaTransactionInvalid, wouldRevert } from '../solana.errors.js';
import type { SolanaNetwork } from '../solana-network.js';
import { checkForeignSignatures } from '../transaction/check-foreign-signatures.js';
import { type AccountState, resolveKeys } from '../transaction/resolve-keys.js';
import type { SolanaTransaction } from '../transaction/solana-transaction.js';

const TOKEN_PROGRAMS: readonly string[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
const TOKEN_ACCOUNT_BYTES = 165;

export interface JudgedTransaction {
  readonly effects: SolanaEffects;
  /** Of the cluster after the simulation, which has found the blockhash. */
  readonly blockHeight: bigint;
}

/** Judges a transaction before it is accepted, with what the network says of its accounts. */
@Injectable()
export class JudgeTransactionService {
  constructor(private readonly nodes: SolanaNodesService) {}

  /** @throws AppError 400, 403 `policy_forbidden`, 409 `would_revert`, 503 `chain_unavailable` */
  judge(
    network: SolanaNetwork,
    transaction: SolanaTransaction,
    options: JudgeOptions,
  ): Promise<JudgedTransaction> {
    const { account, sponsor } = options;
    const ownSigners = transaction.signers.filter(
      (signer, index) => signer === account || (index === 0 && signer === sponsor),
    );
    checkForeignSignatures(transaction, ownSigners);
    return this.nodes.use(network, async (node) => {
      const tables = await node.getAccounts(transaction.lookups.map(({ table }) => table));
      const judgement = judgeTransaction(transaction, resolveKeys(transaction, tables), options);
      const tokenAccounts = await node.getAccounts(listUnknownTokenAccounts(judgement));
      const effects = sumEffects(judgement, readMints(tokenAccounts));
      await simulate(node, transaction);
      // Not below the height of the blockhash, because the node has found that.
      return { effects, blockHeight: await node.getBlockHeight('processed') };
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

async function simulate(node: SolanaNode, { wire }: SolanaTransaction): Promise<void> {
  try {
    const { err, logs } = await node.simulate(wire);
    if (err !== null && err !== undefined) throw wouldRevert(err, logs ?? []);
  } catch (error) {
    if (!(error instanceof SolanaRequestError)) throw error;
    throw solanaTransactionInvalid('nodes of the network cannot read it');
  }
}
