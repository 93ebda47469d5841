import type { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import type { Visitor } from './pages-under-test.js';

/** An `Authorization` header with a credential for a client application, signed by the visitor's wallet. */
export async function createVisitorCredential(
  { wallet }: Visitor,
  { shop, origin, scopes = [] }: { shop: WalletAtTheGateway; origin: string; scopes?: readonly string[] },
): Promise<string> {
  const resources = [`${origin}/#credential`, ...scopes.map((scope) => `urn:scope:${scope}`)];
  const { message } = await shop.challenge({ accountId: wallet.address, resources });
  return `Ethereum ${Buffer.from(message).toString('base64url')}.${await wallet.sign(message)}`;
}
