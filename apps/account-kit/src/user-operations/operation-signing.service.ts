import { AppError, formatErrorReason } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import { decodeExecute } from '../evm/operations/encode-execute.js';
import { toMaxGasCost } from '../evm/operations/user-operation.js';
import { SignedOperationNotifier } from './execution/signed-operations-signal.js';
import { OperationStateRepository } from './execution/operation-state.repository.js';
import { SignerClient } from '../custody/signer-client.js';
import { PoliciesService } from '../policies/policies.service.js';
import { policyForbidden } from '../policies/rules/policies.errors.js';
import { releaseKeys } from './idempotency-keys.queries.js';
import { PaymasterDataService } from '../policies/sponsoring/paymaster-data.service.js';
import { operationUnavailable } from '../policies/sponsoring/sponsoring.errors.js';
import { findOperation, findUnsignedOperation, type UnsignedOperation } from './user-operations.queries.js';

/**
 * Judges stored operations by the policy of now. An operation may be signed long after its policy was judged: by a repeated request, or by
 * another process than the one that accepted it.
 */
@Injectable()
export class UnsignedOperationJudge {
  constructor(
    private readonly database: Database,
    private readonly policies: PoliciesService,
  ) {}

  /** @returns why the policy of now does not allow the operation, or undefined if it does */
  async findRefusal(id: string): Promise<AppError | undefined> {
    const operation = await findUnsignedOperation(this.database, id);
    if (!operation || operation.kind === 'cancellation') return undefined;
    try {
      await this.judge(operation);
      return undefined;
    } catch (error) {
      if (error instanceof AppError && error.statusCode === 403) return error;
      throw error;
    }
  }

  private async judge(operation: UnsignedOperation): Promise<void> {
    const { kind, clientId, chainId, sender, version, callData, paymaster } = operation;
    // Whoever repeats the request has sent a key, and so has the request that stored the operation where the policy wants one.
    const request = { clientId, chainId, idempotencyKey: operation.id };
    const { isSponsored, limits } =
      kind === 'mint'
        ? { isSponsored: true, limits: await this.policies.checkMint(request) }
        : await this.policies.checkCalls({ ...request, account: sender }, decodeExecute(version, callData));
    if (paymaster !== null && !isSponsored) throw policyForbidden(`it sponsors nothing on chain ${chainId}`);
    const maxGasCost = toMaxGasCost(operation);
    if (limits.maxGasCost !== undefined && maxGasCost > limits.maxGasCost)
      throw policyForbidden(
        `its gas may cost ${maxGasCost} wei, and that of an operation may cost ${limits.maxGasCost}`,
      );
  }
}

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
