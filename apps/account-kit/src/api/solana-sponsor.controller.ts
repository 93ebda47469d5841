import { CurrentClient, type RequestingClient, Returns } from '@app/service';
import { Controller, Get } from '@nestjs/common';
import { SolanaSponsorsService } from '../solana/solana-sponsors.service.js';
import { AccountKitOperation } from './account-kit.operations.js';
import { type SolanaSponsorList, solanaSponsorList } from './solana.dto.js';

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
