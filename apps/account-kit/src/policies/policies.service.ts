import { Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import type { AccountCall } from '../evm/operations/encode-execute.js';
import { SignerClient } from '../key-vault/signer-client.js';
import { checkTargets } from './check-targets.js';
import { PoliciesConfig } from './policies.config.js';
import { policyForbidden } from './policies.errors.js';

/** Says what accounts may do for client applications. Everything that is signed has passed here. */
@Injectable()
export class PoliciesService {
  constructor(
    private readonly config: PoliciesConfig,
    private readonly signer: SignerClient,
  ) {}

  /** @throws AppError 403 `policy_forbidden` */
  async checkCalls(account: Address, calls: readonly AccountCall[]): Promise<void> {
    this.checkSigning();
    checkTargets(calls, [account, ...(await this.signer.executors())]);
  }

  /** Whether anything may be signed at all. @throws AppError 403 `policy_forbidden` */
  checkSigning(): void {
    if (this.config.DEFAULT_POLICY === 'deny')
      throw policyForbidden('your client application has no policy; operators set it with DEFAULT_POLICY');
  }
}
