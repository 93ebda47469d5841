import { AppError } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { decodeExecute } from '../evm/operations/encode-execute.js';
import { toMaxGasCost } from '../evm/operations/to-max-gas-cost.js';
import { PoliciesService } from '../policies/policies.service.js';
import { policyForbidden } from '../policy-rules/policies.errors.js';
import { findUnsignedOperation, type UnsignedOperation } from './user-operations.queries.js';

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
