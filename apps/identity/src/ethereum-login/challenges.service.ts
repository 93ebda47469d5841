import { Database } from '@app/database';
import type { Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { ClientApplication } from '../clients/client-application.entity.js';
import { originsOf } from '../clients/origins-of.js';
import { ContractWallets } from './contract-wallets.js';
import { CredentialMessages } from './credential-messages.js';
import type { ChallengeRequest, ChallengeResponse } from './ethereum-login.dto.js';
import { badAccount, noClientApplication, unregisteredOrigin } from './ethereum-login.errors.js';
import { hostOf } from './host-of.js';
import { readResources } from './requested-scopes.js';
import { readSignInAccount } from './sign-in-account.js';
import { WalletLogins } from './wallet-logins.js';

/** Messages that client applications have signed: logins, and credentials. */
@Injectable()
export class ChallengesService {
  constructor(
    private readonly database: Database,
    private readonly logins: WalletLogins,
    private readonly credentials: CredentialMessages,
    private readonly contracts: ContractWallets,
  ) {}

  /** @param mayAsk what the credential that asks may do itself: a narrowed token has no wider one made */
  async create(
    clientId: string,
    mayAsk: readonly Scope[],
    request: ChallengeRequest,
  ): Promise<ChallengeResponse> {
    const { state, uri, accountId } = request;
    const client = await this.database.run((manager) =>
      manager.findOneBy(ClientApplication, { id: clientId }),
    );
    if (!client) throw noClientApplication();
    if (!originsOf(client).includes(new URL(uri).origin)) throw unregisteredOrigin();
    const domain = hostOf(uri);
    if (accountId !== undefined) this.checkChain(accountId);
    const mark = this.credentials.mark;
    const allowed = client.approvedScopes.filter((one) => one.startsWith('user:') || mayAsk.includes(one));
    const { isCredential, scopes } = readResources(request.resources ?? [], mark, allowed);
    const challenge = isCredential
      ? await this.credentials.create(clientId, accountId, scopes)
      : await this.logins.begin({ clientId, domain, uri }, { accountId, scopes });
    return { state, ...challenge };
  }

  /** A plain key signs in on chains that we have no nodes of, but not on one that nobody knows. @throws AppError 400 */
  private checkChain(accountId: string): void {
    const account = readSignInAccount(accountId);
    if (account.namespace !== 'eip155' || account.chainId === undefined) return;
    if (!this.contracts.knows(account.chainId)) throw badAccount('names a chain that is not known here');
  }
}
