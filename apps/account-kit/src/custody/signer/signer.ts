import { type Database, type Queryable, queryRows } from '@app/database';
import type { Address, Hex } from 'viem';
import { hexToBytes } from 'viem/utils';
import { z } from 'zod';
import { platform, type PlatformUser } from '../../owners/platform-user.js';
import { type AccountKeyName, evmKeyName, solanaKeyName, toAddress } from '../account-keys.js';
import type { PaymasterKeys } from '../../evm/paymaster.config.js';
import type { SolanaSponsorKeys } from '../../solana/messages/solana-sponsor.config.js';
import { createEvmKey, type EvmKey } from '../create-evm-key.js';
import { AccountKeyring } from '../stored-keys/account-keyring.js';
import type { KeyVaults } from '../vaults/key-vaults.js';
import { rememberSuccess } from '../vaults/key-vault.js';
import { openCodehostSecret } from '../token-audience/codehost-secrets.js';
import { createOperationToSignLoader, type OperationToSignLoader } from './load-operation-to-sign.js';
import { RefusedToSignError } from '../key-vault.errors.js';
import { createSolanaMessageSigner, signSolanaTransaction } from './sign-solana-transaction.js';
import { createTransactionToSignLoader, type TransactionToSignLoader } from './load-transaction-to-sign.js';
import type { DeploymentRules } from './judge-stored.js';
import { deriveActionAddress, signActionBytes } from './sign-action-bytes.js';
import { signExecutorTransaction } from './sign-executor-transaction.js';
import { signPaymasterData } from './sign-paymaster-data.js';
import { signUserOperation } from './sign-user-operation.js';
import { type DerivedAddresses, derivedAddresses, type SignerRequest } from './signer-messages.js';

const ownerRow = z.object({ platform, userId: z.string(), keyRootId: z.string() });

/**
 * Opens the EVM key of an account, which stays in memory for a while: so an operation is accepted only when its key can sign it.
 * @throws RefusedToSignError if the account's root is not configured, or the vault's error
 */
async function openAccountKey(db: Queryable, keyring: AccountKeyring, accountId: string): Promise<true> {
  const [row] = await queryRows(
    db,
    `SELECT platform, platform_user_id AS "userId", key_root_id AS "keyRootId" FROM account_kit.smart_accounts
     WHERE id = $1`,
    [accountId],
  );
  if (row === undefined) throw new RefusedToSignError('there is no such account');
  await keyring.openEvmKey({ ...ownerRow.parse(row), accountId }, 'account');
  return true;
}

/** What holds the keys, and signs what it has loaded and checked itself. */
export class Signer {
  private readonly keyring: AccountKeyring;
  private readonly loadOperation: OperationToSignLoader;
  private readonly loadTransaction: TransactionToSignLoader;
  private readonly signSolanaMessage = createSolanaMessageSigner();
  private readonly checkVaults = rememberSuccess(() => this.keyring.checkVaults());
  private readonly executors: ReadonlyMap<Address, EvmKey>;

  constructor(
    private readonly database: Database,
    private readonly vaults: KeyVaults,
    executorKeys: readonly Hex[],
    private readonly paymasters: PaymasterKeys,
    private readonly sponsors: SolanaSponsorKeys,
    private readonly rules: DeploymentRules,
  ) {
    this.keyring = new AccountKeyring(database, vaults);
    this.loadOperation = createOperationToSignLoader(database);
    this.loadTransaction = createTransactionToSignLoader(database);
    const accounts = executorKeys.map((key) => createEvmKey(hexToBytes(key)));
    this.executors = new Map(accounts.map((account) => [account.address, account]));
  }

  /** Addresses are derived when the vaults are checked: none is ever answered that another key would sign for. @throws RefusedToSignError for what must not be signed */
  async handle(request: SignerRequest): Promise<unknown> {
    switch (request.type) {
      case 'ping':
        return this.ping();
      case 'deriveAddresses':
        await this.checkVaults();
        return this.deriveAddresses({ platform: request.platform, userId: request.userId });
      case 'openAccountKey':
        return openAccountKey(this.database, this.keyring, request.accountId);
      case 'signUserOperation':
        return signUserOperation(this.loadOperation, {
          keyring: this.keyring,
          paymasters: this.paymasters,
          executors: [...this.executors.keys()],
          rules: this.rules,
          operationId: request.operationId,
        });
      case 'signPaymasterData':
        return signPaymasterData(this.loadOperation, {
          paymasters: this.paymasters,
          executors: [...this.executors.keys()],
          rules: this.rules,
          operationId: request.operationId,
        });
      case 'deriveActionAddress':
        await this.checkVaults();
        return deriveActionAddress(this.database, this.vaults, request);
      case 'signActionBytes':
        return signActionBytes(this.database, this.keyring, request);
      case 'signSolanaTransaction':
        return signSolanaTransaction(this.loadTransaction, {
          keyring: this.keyring,
          sponsors: this.sponsors,
          rules: this.rules,
          sign: this.signSolanaMessage,
          transactionId: request.transactionId,
        });
      case 'openCodehostSecret':
        return openCodehostSecret(this.database, this.vaults, request.clientId);
      case 'listExecutors':
        return [...this.executors.keys()];
      case 'signExecutorTransaction':
        return signExecutorTransaction(
          { keys: this.executors, feeCeilings: this.rules.feeCeilings },
          request,
        );
    }
  }

  /** Whether all accounts can sign is checked once: removed vaults keep a new process from being ready. */
  private async ping(): Promise<true> {
    await this.database.query('SELECT 1');
    await this.checkVaults();
    return true;
  }

  private async deriveAddresses(user: PlatformUser): Promise<DerivedAddresses> {
    const { current } = this.vaults;
    const address = async (name: AccountKeyName) =>
      toAddress(name, await current.derive({ ...name, ...user }));
    const [keyRootId, signerAddress, actionAddress, SOL, SOL_DEVNET] = await Promise.all([
      current.loadRootId(),
      address(evmKeyName('account')),
      address(evmKeyName('action')),
      address(solanaKeyName('SOL')),
      address(solanaKeyName('SOL_DEVNET')),
    ]);
    return derivedAddresses.parse({
      keyRootId,
      signerAddress,
      actionAddress,
      solanaAddresses: { SOL, SOL_DEVNET },
    });
  }
}
