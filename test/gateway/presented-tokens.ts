import type { Client } from '../support/create-client.js';
import type { GatewayWithTokens } from './gateway-with-tokens.js';
import type { Json } from './token-factory.js';

/** Creates `Authorization` headers with tokens of one client application's users. */
export class PresentedTokens {
  constructor(
    private readonly running: GatewayWithTokens,
    private readonly client: Client,
  ) {}

  bearer(more: Json = {}, owner: Client = this.client): string {
    const { mint } = this.running;
    return `Bearer ${mint.bearer(mint.accessClaims(owner.clientId, more))}`;
  }

  ae(more: Json = {}, owner: Client = this.client): string {
    const { mint } = this.running;
    return `AE ${mint.aeToken(mint.aeClaims(owner.clientId, more))}`;
  }

  async ethereum(owner: Client = this.client): Promise<string> {
    return `Ethereum ${await this.running.mint.credential({ clientId: owner.clientId })}`;
  }

  /** Requests the user's own account. */
  me(authorization: string, apiKey?: string): Promise<Response> {
    return this.ask('/account/me', authorization, apiKey);
  }

  ask(path: string, authorization: string, apiKey?: string): Promise<Response> {
    return this.running.ask(path, {
      Authorization: authorization,
      ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }),
    });
  }
}
