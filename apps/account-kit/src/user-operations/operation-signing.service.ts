import { AppError, formatErrorReason } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import { SignedOperationNotifier } from '../executors/wake-ups/signed-operation-notifier.js';
import { OperationStateRepository } from '../executors/states/operation-state.repository.js';
import { SignerClient } from '../key-vault/signer-client.js';
import { releaseKeys } from './idempotency-keys.queries.js';
import { PaymasterDataService } from '../sponsoring/paymaster-data.service.js';
import { operationUnavailable } from '../sponsoring/sponsoring.errors.js';
import { UnsignedOperationJudge } from './unsigned-operation-judge.service.js';
import { findOperation } from './user-operations.queries.js';

/** Signs accepted operations. A signature is stored before anything is sent, and never replaced. */
@Injectable()
export class OperationSigningService {
  constructor(
    private readonly database: Database,
    private readonly signer: SignerClient,
    private readonly paymasterData: PaymasterDataService,
    private readonly states: OperationStateRepository,
    private readonly notifier: SignedOperationNotifier,
    private readonly judge: UnsignedOperationJudge,
  ) {}

  /** @throws AppError 503 when the key vault does not answer */
  prepare(accountId: string): Promise<void> {
    return this.signer.openAccountKey(accountId);
  }

  /**
   * Signs an operation if the policy of now still allows it, or finds the hash that it has. When that fails, the operation is
   * rejected, and its nonce and its idempotency key are free again.
   * @returns hash of the user operation
   * @throws AppError 403 `policy_forbidden`; 503 when the key vault does not answer, or another request has just rejected the operation
   */
  async sign(id: string): Promise<Hex> {
    const operation = await findOperation(this.database, id);
    if (operation?.hash) return operation.hash;
    if (operation?.state !== 'accepted') throw operationUnavailable();
    const refusal = await this.judge.findRefusal(id);
    if (refusal === undefined) return this.signAccepted(id, operation);
    if (await this.reject(id, formatErrorReason(refusal))) throw refusal;
    // Another request has signed or rejected it since.
    return this.findHash(id);
  }

  /** Signs an operation that was `accepted` a moment ago, so that its row need not be read again. */
  async signAccepted(
    id: string,
    { needsSponsor, chainId }: { readonly needsSponsor: boolean; readonly chainId: number },
  ): Promise<Hex> {
    try {
      if (needsSponsor) await this.paymasterData.load(id, chainId);
      const { hash, signature } = await this.signer.signUserOperation(id);
      // If the row has changed, another process has stored the same signature: signatures are deterministic (RFC 6979).
      if (!(await this.states.markSigned(id, { hash, signature }))) return await this.findHash(id);
      this.notifier.notify(id);
      return hash;
    } catch (error) {
      if (await this.reject(id, formatErrorReason(error))) throw error;
      // Another request has signed or rejected it since this one read its state, so that the signer refuses it.
      const hash = (await findOperation(this.database, id))?.hash;
      if (hash) return hash;
      throw error instanceof AppError ? error : operationUnavailable();
    }
  }

  /**
   * Rejects an operation that was never signed: its nonce and its idempotency key are free again.
   * @returns false if it is not `accepted` any more
   */
  reject(id: string, reason: string): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const isRejected = await this.states.rejectUnsigned(manager, id, reason);
      if (isRejected) await releaseKeys(manager, id);
      return isRejected;
    });
  }

  private async findHash(id: string): Promise<Hex> {
    const hash = (await findOperation(this.database, id))?.hash;
    if (!hash) throw operationUnavailable();
    return hash;
  }
}
