import { address, lamports } from '@solana/kit';
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import type { SolanaCluster } from '../../../scripts/chain/solana/cluster.mjs';
import { newAddress, toBase64 } from '../../support/solana-transactions.js';
import type { AccountKitSuite, CallResponse } from '../account-kit-suite.js';

/** Bots of the chat platform with accounts on a cluster, at the gateway. */
export class BotAccounts {
  constructor(
    private readonly kit: AccountKitSuite,
    private readonly cluster: SolanaCluster,
  ) {}

  headers(userId: string): Record<string, string> {
    return { 'X-BOT-TOKEN': this.kit.platforms.botToken(userId) };
  }

  async load(userId: string, network = 'SOL_DEVNET'): Promise<PublicKey> {
    const { body } = await this.kit.call<{ solana: { address: string; network: string }[] }>(
      '/accountkit/v1/chatbot/accounts',
      { headers: this.headers(userId) },
    );
    const account = body.solana.find((one) => one.network === network);
    if (!account) throw new Error(`the bot has no account on ${network}`);
    return new PublicKey(account.address);
  }

  /** The bot's account, with ten SOL. */
  async loadFunded(userId: string): Promise<PublicKey> {
    const account = await this.load(userId);
    this.cluster.svm.airdrop(address(account.toBase58()), lamports(10_000_000_000n));
    return account;
  }

  /** A transaction that pays 7,000,000 lamports, with a recent blockhash. */
  createPayment(from: PublicKey, to = newAddress(), payerKey = from): string {
    this.cluster.advance();
    const message = new TransactionMessage({
      payerKey,
      recentBlockhash: this.cluster.svm.latestBlockhash(),
      instructions: [SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: 7_000_000 })],
    });
    return toBase64(new VersionedTransaction(message.compileToV0Message()));
  }

  submit<Body = { txSignature: string }>(
    userId: string,
    serializedTransactionBase64: string,
    network = 'SOL_DEVNET',
  ): Promise<CallResponse<Body>> {
    return this.kit.call<Body>(`/accountkit/v1/chatbot/solana/submitTransaction?network=${network}`, {
      method: 'POST',
      headers: this.headers(userId),
      body: { serializedTransactionBase64 },
    });
  }

  balanceOf(key: PublicKey): bigint {
    return this.cluster.svm.getBalance(address(key.toBase58())) ?? 0n;
  }
}
