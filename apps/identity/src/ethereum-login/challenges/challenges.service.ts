import { Database } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { ClientApplication } from '../../applications/entities/client-application.entity.js';
import { getSignInOrigins } from '../../applications/get-sign-in-origins.js';
import { ContractWalletService } from '../../wallet-signatures/contract-wallet.service.js';
import { CredentialMessageService } from '../credentials/credential-message.service.js';
import type { ChallengeRequest, ChallengeResponse } from '../ethereum-login.dto.js';
import { clientApplicationRequired } from '../../common/request.errors.js';
import { invalidAccount } from '../ethereum-login.errors.js';
import { parseResources } from '../messages/parse-resources.js';
import { parseSignInAccount } from '../messages/sign-in-message.js';
import { parseSignInPage } from './parse-sign-in-page.js';
import { WalletLoginService } from './wallet-login.service.js';

/** Creates login and credential messages for client applications. */
@Injectable()
export class ChallengesService {
  constructor(
    private readonly database: Database,
    private readonly logins: WalletLoginService,
    private readonly credentials: CredentialMessageService,
    private readonly contracts: ContractWalletService,
  ) {}

  /** @param callerScopes the scopes of the calling credential: it cannot request wider ones */
  async create(
    clientId: string,
    callerScopes: readonly Scope[],
    request: ChallengeRequest,
  ): Promise<ChallengeResponse> {
    const { state, accountId } = request;
    const client = await this.database.withConnection((manager) =>
      manager.findOneBy(ClientApplication, { id: clientId }),
    );
    if (!client) throw clientApplicationRequired();
    const { uri, domain } = parseSignInPage(request, getSignInOrigins(client));
    if (accountId !== undefined) this.checkChain(accountId);
    const allowed = client.approvedScopes.filter(
      (scope) => scope.startsWith('user:') || callerScopes.includes(scope),
    );
    const { isCredential, scopes, resources } = parseResources(
      request.resources ?? [],
      this.credentials.credentialResource,
      allowed,
    );
    const challenge = isCredential
      ? await this.credentials.create(clientId, accountId, scopes)
      : await this.logins.createChallenge({ clientId, domain, uri }, { accountId, resources });
    return { state, ...challenge };
  }

  /** A private key may sign in on a chain without nodes here, but not on an unknown one. @throws AppError 400 */
  private checkChain(accountId: string): void {
    const account = parseSignInAccount(accountId);
    if (account.namespace !== 'eip155' || account.chainId === undefined) return;
    if (!this.contracts.isKnownChain(account.chainId))
      throw invalidAccount('must be on a chain that this service knows');
  }
}
