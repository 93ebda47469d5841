import { CurrentClient, type RequestingClient, Returns } from '@app/service';
import { Controller, Get, Injectable } from '@nestjs/common';
import { AccountKitOperation } from './account-kit.operations.js';
import { type SolanaSponsorList, solanaSponsorList } from './solana.dto.js';
import { PoliciesService } from '../policies/policies.service.js';
import { type SolanaSponsor, SolanaSponsorConfig } from '../solana/messages/solana-sponsor.config.js';
import type { SolanaNetwork } from '../solana/messages/solana-network.js';

/** Tells client applications who may pay their fees. */
@Injectable()
export class SolanaSponsorsService {
  constructor(
    private readonly sponsors: SolanaSponsorConfig,
    private readonly policies: PoliciesService,
  ) {}

  /** The sponsors that the policy of an application has. @throws AppError 403 `policy_forbidden` without a policy */
  async list(clientId: string): Promise<(SolanaSponsor & { readonly network: SolanaNetwork })[]> {
    const networks = await this.policies.listSponsoredNetworks(clientId);
    return this.sponsors.list().filter(({ network }) => networks.includes(network));
  }
}

/** Sponsors that pay fees of Solana transactions (contract.md section 10). */
@Controller('accountkit/v2/solana/sponsors')
export class SolanaSponsorController {
  constructor(private readonly sponsors: SolanaSponsorsService) {}

  @Get()
  @AccountKitOperation({
    summary: 'List the sponsors of Solana transactions',
    description:
      'A transaction that names the sponsor of its network as fee payer costs the account no fee. The sponsor must occur nowhere else in ' +
      'it. Only networks whose sponsor the policy of the client application has are listed.',
    errors: ['403 policy_forbidden'],
  })
  @Returns(solanaSponsorList)
  async listSolanaSponsors(@CurrentClient() { id }: RequestingClient): Promise<SolanaSponsorList> {
    const sponsors = await this.sponsors.list(id);
    return {
      items: sponsors.map(({ network, address, maxLamports }) => ({
        network,
        address,
        maxFeeLamports: Number(maxLamports),
      })),
    };
  }
}
