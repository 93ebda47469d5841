import type { Database } from '@app/database';
import type { Hex, PrivateKeyAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { PlatformUser } from '../../platforms/platform-user.js';
import { deriveEvmKey, deriveSolanaKey, toSolanaAddress } from '../account-keys.js';
import type { KeyRoot } from '../derive-account-key.js';
import { signActionBytes } from './sign-action-bytes.js';
import { signExecutorTransaction } from './sign-executor-transaction.js';
import { signSolanaTransaction } from './sign-solana-transaction.js';
import { signUserOperation } from './sign-user-operation.js';
import type { DerivedAddresses, SignerRequest } from './signer-messages.js';

/** What holds the keys, and signs what it has loaded and checked itself. */
export class Signer {
  private readonly executors: ReadonlyMap<string, PrivateKeyAccount>;

  constructor(
    private readonly database: Database,
    private readonly root: KeyRoot,
    executorKeys: readonly Hex[],
  ) {
    const accounts = executorKeys.map((key) => privateKeyToAccount(key));
    this.executors = new Map(accounts.map((account) => [account.address, account]));
  }

  /** @throws RefusedToSignError for what must not be signed */
  async handle(request: SignerRequest): Promise<unknown> {
    switch (request.type) {
      case 'ping':
        return this.database.query('SELECT 1');
      case 'deriveAddresses':
        return this.deriveAddresses({ platform: request.platform, userId: request.userId });
      case 'signUserOperation':
        return signUserOperation(this.database, this.root, request.operationId);
      case 'signActionBytes':
        return signActionBytes(this.database, this.root, request);
      case 'signSolanaTransaction':
        return signSolanaTransaction(this.database, this.root, request.transactionId);
      case 'listExecutors':
        return [...this.executors.keys()];
      case 'signExecutorTransaction':
        return signExecutorTransaction(this.executors, request);
    }
  }

  private deriveAddresses(user: PlatformUser): DerivedAddresses {
    return {
      keyRootId: this.root.id,
      signerAddress: deriveEvmKey(this.root, user, 'account').address,
      actionAddress: deriveEvmKey(this.root, user, 'action').address,
      solanaAddresses: {
        SOL: toSolanaAddress(deriveSolanaKey(this.root, user, 'SOL')),
        SOL_DEVNET: toSolanaAddress(deriveSolanaKey(this.root, user, 'SOL_DEVNET')),
      },
    };
  }
}
