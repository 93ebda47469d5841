import { Provider } from 'oidc-provider';
import type { ClientRateLimiter } from '../clients/client-rate-limiter.js';

/**
 * Counts token requests of public clients once their code or refresh token has proved valid, before it is used up. Before
 * that anyone could have sent them. oidc-provider has no hook at this point.
 */
export function countPublicGrants(provider: Provider, rateLimiter: ClientRateLimiter): void {
  for (const { prototype } of [provider.AuthorizationCode, provider.RefreshToken]) {
    const { consume } = prototype;
    prototype.consume = async function (this: typeof prototype) {
      const client = Provider.ctx?.oidc.client;
      if (client) await rateLimiter.countPublicRequest(client);
      await consume.call(this);
    };
  }
}
