import { Injectable } from '@nestjs/common';

/**
 * The chains on which the registry of delegations has answered since this process started. At most as many as are configured, and about
 * nodes alone, so that no tenant adds one for another. A registry cannot end: where it has answered, an empty answer is a fault.
 */
@Injectable()
export class KnownRegistriesService {
  private readonly chainIds = new Set<number>();

  add(chainId: number): void {
    this.chainIds.add(chainId);
  }

  has(chainId: number): boolean {
    return this.chainIds.has(chainId);
  }
}
