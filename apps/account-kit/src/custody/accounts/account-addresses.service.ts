import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { EvmClientService } from '../../evm/nodes/evm-client.service.js';
import { isPlatformUserId } from '../../owners/is-platform-user-id.js';
import { platform, type PlatformTokenRequest, type PlatformUser } from '../../owners/platform-user.js';
import { PlatformUsersService } from '../../owners/platform-users.service.js';
import type { SmartAccount } from './smart-accounts.queries.js';
import { SmartAccountsService } from './smart-accounts.service.js';

/** The schema id is that of spec.md 4.3; contract.md section 10 defines the fields. */
export const accountAddresses = z
  .object({
    pkpAddress: z.string().meta({ description: "The signer's address." }),
    evm: z.array(z.object({ address: z.string(), chainId: z.number() })).meta({
      description:
        'The smart account, for each chain of the deployment on which the contracts of smart accounts were found.',
    }),
    solana: z
      .array(z.object({ address: z.string(), network: z.enum(['SOL', 'SOL_DEVNET']) }))
      .meta({ description: 'An account for each Solana network.' }),
  })
  .meta({ id: 'BotSmartAccountAddressRequest' });
export type AccountAddresses = z.infer<typeof accountAddresses>;

export const platformAccountAddressRequest = z
  .strictObject({
    platform,
    userId: z
      .string()
      .refine(isPlatformUserId, "must be the platform's numeric id as decimal text, without leading zeros")
      .meta({ description: "The platform's numeric id as decimal text, such as `42`" }),
  })
  .meta({ id: 'GetPlatformAccountAddressRequest', example: { platform: 'chat', userId: '42' } });
export type PlatformAccountAddressRequest = z.infer<typeof platformAccountAddressRequest>;

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
