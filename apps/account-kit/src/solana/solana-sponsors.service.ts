import { Injectable } from '@nestjs/common';
import { PoliciesService } from '../policies/policies.service.js';
import { type SolanaSponsor, SolanaSponsorConfig } from './messages/solana-sponsor.config.js';
import type { SolanaNetwork } from './solana-network.js';

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
