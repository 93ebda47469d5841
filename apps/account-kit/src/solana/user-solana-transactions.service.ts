import { Injectable } from '@nestjs/common';
import { SmartAccountsService } from '../custody/accounts/smart-accounts.service.js';
import type { SolanaTransactionDryRun } from './solana-dry-run.dto.js';
import type { PlatformTokenRequest } from '../owners/platform-user.js';
import { PlatformUsersService } from '../owners/platform-users.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import { TokenAudienceService } from '../custody/token-audience/token-audience.service.js';
import type { SolanaNetwork } from './solana-network.js';
import {
  SubmitTransactionService,
  type TransactionSubmission,
} from './transactions/submit-transaction.service.js';
import {
  TransactionResponseService,
  type TransactionStatus,
} from './transactions/transaction-response.service.js';

/** Solana transactions of the accounts of platform users, who prove themselves with a token. */
@Injectable()
export class UserSolanaTransactionsService {
  constructor(
    private readonly users: PlatformUsersService,
    private readonly audience: TokenAudienceService,
    private readonly accounts: SmartAccountsService,
    private readonly submission: SubmitTransactionService,
    private readonly responses: TransactionResponseService,
    private readonly policies: PoliciesService,
  ) {}

  async submit(
    token: PlatformTokenRequest,
    request: Omit<TransactionSubmission, 'clientId' | 'account'>,
  ): Promise<{ txSignature: string } | SolanaTransactionDryRun> {
    const user = await this.audience.loadForSigning(token);
    const { id, solanaAddresses } = await (request.dryRun
      ? this.accounts.loadStored(user)
      : this.accounts.load(user));
    const { clientId } = token;
    const { idempotencyKey, network } = request;
    const account = { id, address: solanaAddresses[network] };
    return this.submission.submit({ ...request, clientId, account }, () =>
      this.policies.checkSolana({ clientId, idempotencyKey }, network),
    );
  }

  async load(
    token: PlatformTokenRequest,
    transaction: { network: SolanaNetwork; signature: string },
    options: { waitMs: number; signal: AbortSignal },
  ): Promise<TransactionStatus> {
    const { id: accountId } = await this.accounts.load(await this.users.load(token));
    return this.responses.load({ ...transaction, accountId }, options);
  }
}
