import { AppError, inSpan } from '@app/common';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Address, Hex } from 'viem';
import { bytesToHex } from 'viem/utils';
import { z } from 'zod';
import { LRUCache } from 'lru-cache';
import { frozen } from '../limits/freezes.errors.js';
import type { PlatformUser } from '../owners/platform-user.js';
import { ExecutorKeysConfig } from './executor-keys.config.js';
import { KeyVaultConfig } from './key-vault.config.js';
import { actionNotFound, keyVaultUnavailable, FROZEN, NOT_LISTED } from './key-vault.errors.js';
import { PaymasterConfig } from '../evm/paymaster.config.js';
import { SolanaSponsorConfig } from '../solana/messages/solana-sponsor.config.js';
import {
  actionSignature,
  type CodehostSecret,
  codehostSecret,
  type DerivedActionAddress,
  derivedActionAddress,
  type DerivedAddresses,
  derivedAddresses,
  executorAddresses,
  type OperationSignature,
  operationSignature,
  rawTransaction,
  type SignedPaymasterData,
  type SignerAnswer,
  signedPaymasterData,
  type SignerRequest,
  type SolanaSignature,
  solanaSignatures,
} from './signer/signer-messages.js';
import type { ActionKeyName } from './stored-keys/action-keys.queries.js';
import { SignerProcess } from './signer/signer-process.js';

/** Shorter than the signer process keeps opened keys. */
const OPENED_MS = 45_000;
/** Keys that are remembered as opened: as many as the signer process keeps. */
const MAX_OPENED = 1_000;

/** A transaction of an executor that calls the EntryPoint. */
interface ExecutorTransactionRequest {
  readonly executor: Address;
  readonly chainId: number;
  readonly nonce: number;
  readonly entryPoint: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * Asks the signer process, which holds all keys and checks what it signs. Every method throws AppError 503
 * `key_vault_unavailable` when it does not answer, and an error when it refuses.
 */
@Injectable()
export class SignerClient implements OnApplicationShutdown {
  private readonly signer: SignerProcess;
  private readonly openedAccounts = new LRUCache<string, true>({ max: MAX_OPENED, ttl: OPENED_MS });
  private executorAddresses: readonly Address[] | undefined;

  /** The configuration is checked before the process starts. */
  constructor(
    context: ServiceContext,
    _vault: KeyVaultConfig,
    _executors: ExecutorKeysConfig,
    _paymasters: PaymasterConfig,
    _solanaSponsors: SolanaSponsorConfig,
  ) {
    this.signer = new SignerProcess((reason) => {
      context.logger.fatal({ reason }, 'the signer process ended; shutting down');
      // The signer's secrets are in no other process, so another one cannot be started here. A supervisor may restart this process on failure only.
      process.exitCode = 1;
      process.kill(process.pid, 'SIGTERM');
    });
    context.readiness.addCheck('key vault', () => this.ping());
  }

  deriveAddresses(user: PlatformUser): Promise<DerivedAddresses> {
    return this.call({ type: 'deriveAddresses', ...user }, derivedAddresses);
  }

  /** The key of a client application for custom actions of an account, from the current root. */
  deriveActionAddress(name: ActionKeyName): Promise<DerivedActionAddress> {
    return this.call({ type: 'deriveActionAddress', ...name }, derivedActionAddress);
  }

  /** Opens the key of an account before its operation is accepted, unless it was opened a moment ago. */
  async openAccountKey(accountId: string): Promise<void> {
    if (this.openedAccounts.has(accountId)) return;
    await this.call({ type: 'openAccountKey', accountId }, z.literal(true));
    this.openedAccounts.set(accountId, true);
  }

  /** Signs a stored operation that is `accepted`. */
  signUserOperation(operationId: string): Promise<OperationSignature> {
    return this.call({ type: 'signUserOperation', operationId }, operationSignature);
  }

  /** Signs that the operation's paymaster pays for it, before the account signs. The time from now is 1 hour. */
  signPaymasterData(operationId: string): Promise<SignedPaymasterData> {
    return this.call({ type: 'signPaymasterData', operationId }, signedPaymasterData);
  }

  /** Signs bytes as a personal message (ERC-191) with the key of a listed custom action. @returns 65 bytes */
  signActionBytes(action: ActionKeyName & { readonly cid: string }, bytes: Uint8Array): Promise<Hex> {
    return this.call({ type: 'signActionBytes', ...action, bytes: bytesToHex(bytes) }, actionSignature);
  }

  /** Signs the message of a stored Solana transaction that is `accepted`, also as its sponsor. */
  signSolanaTransaction(transactionId: string): Promise<readonly SolanaSignature[]> {
    return this.call({ type: 'signSolanaTransaction', transactionId }, solanaSignatures);
  }

  /** The secret of a client application's OAuth application at the code host, which only the vault opens. Null without one. */
  openCodehostSecret(clientId: string): Promise<CodehostSecret | null> {
    return this.call({ type: 'openCodehostSecret', clientId }, codehostSecret);
  }

  /** Addresses of the executors, in the configured order. They stay the same while the process runs. */
  async executors(): Promise<readonly Address[]> {
    this.executorAddresses ??= await this.call({ type: 'listExecutors' }, executorAddresses);
    return this.executorAddresses;
  }

  /** @returns the raw transaction */
  signExecutorTransaction(request: ExecutorTransactionRequest): Promise<Hex> {
    const { gas, maxFeePerGas, maxPriorityFeePerGas, ...rest } = request;
    const fees = {
      gas: String(gas),
      maxFeePerGas: String(maxFeePerGas),
      maxPriorityFeePerGas: String(maxPriorityFeePerGas),
    };
    return this.call({ type: 'signExecutorTransaction', ...rest, ...fees }, rawTransaction);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.signer.stop();
  }

  private async ping(): Promise<void> {
    const outcome = await this.signer.call({ type: 'ping' });
    if (outcome.status !== 'done') throw new Error(outcome.reason);
  }

  private async call<S extends z.ZodType>(request: SignerRequest, schema: S): Promise<z.output<S>> {
    const outcome = await inSpan({ name: 'call signer', kind: 'CLIENT' }, () => this.signer.call(request));
    switch (outcome.status) {
      case 'done':
        return schema.parse(outcome.result);
      case 'refused':
        if (outcome.reason === FROZEN) throw frozen();
        if (outcome.reason === NOT_LISTED) throw actionNotFound();
        if (outcome.answer) throw toAppError(outcome.answer);
        throw new Error(`The signer refused ${request.type}: ${outcome.reason}`);
      case 'unavailable':
        throw keyVaultUnavailable(new Error(outcome.reason));
    }
  }
}

/** The error of the signer's judge, as if this process had judged. */
const toAppError = ({ name, statusCode, message, details }: SignerAnswer): AppError =>
  new AppError(name, statusCode, message, details);
