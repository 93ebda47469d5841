import { Injectable } from '@nestjs/common';
import { EvmClientService } from '../evm/nodes/evm-client.service.js';
import type { PlatformUser } from '../platforms/platform-user.js';
import type { PlatformTokenRequest } from '../platforms/platform-token.js';
import { PlatformUsersService } from '../platforms/platform-users.service.js';
import type { AccountAddresses } from './account-addresses.dto.js';
import type { SmartAccount } from './smart-accounts.queries.js';
import { SmartAccountsService } from './smart-accounts.service.js';

/** Addresses of smart accounts as clients see them. */
@Injectable()
export class AccountAddressesService {
  constructor(
    private readonly users: PlatformUsersService,
    private readonly accounts: SmartAccountsService,
    private readonly chains: EvmClientService,
  ) {}

  async loadByToken(token: PlatformTokenRequest): Promise<AccountAddresses> {
    return this.toAddresses(await this.accounts.load(await this.users.load(token)));
  }

  /** @throws AppError 429 when the client application has named too many new users today */
  async loadByUser(user: PlatformUser, clientId: string): Promise<AccountAddresses> {
    return this.toAddresses(await this.accounts.loadNamed(user, clientId));
  }

  /** A chain whose contracts are not known to be there has no address: money sent there might be lost. */
  private async toAddresses(account: SmartAccount): Promise<AccountAddresses> {
    const { signerAddress, evmAddress, solanaAddresses } = account;
    return {
      pkpAddress: signerAddress,
      evm: (await this.chains.listUsableChainIds()).map((chainId) => ({ address: evmAddress, chainId })),
      solana: [
        { address: solanaAddresses.SOL, network: 'SOL' },
        { address: solanaAddresses.SOL_DEVNET, network: 'SOL_DEVNET' },
      ],
    };
  }
}
