import { getSignInOrigins } from '../../applications/get-sign-in-origins.js';
import type { ClientApplication } from '../../applications/entities/client-application.entity.js';
import type { FirstCallView } from '../views/application-views.js';

/** Quotes a text for a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A command that shows the owner of a new application that its key works. Undefined for an application without token-gating and without
 * an address, whose key alone opens nothing.
 */
export function describeFirstCall(
  application: Pick<ClientApplication, 'requestedScopes' | 'approvedScopes' | 'origins' | 'redirectUris'>,
  apiKey: string,
  publicUrl: string,
): FirstCallView | undefined {
  const withKey = `-H ${quote(`X-API-Key: ${apiKey}`)}`;
  if (application.requestedScopes.includes('token-gating'))
    return {
      command: `curl ${quote(`${publicUrl}/chains`)} ${withKey}`,
      answer: 'It lists the blockchains on which this service can check what a wallet holds.',
      waits: !application.approvedScopes.includes('token-gating'),
    };
  const [origin] = getSignInOrigins(application);
  if (origin === undefined) return undefined;
  const body = quote(JSON.stringify({ uri: `${origin}/` }));
  return {
    command: `curl ${quote(`${publicUrl}/ethereum-login/challenges`)} ${withKey} -H 'Content-Type: application/json' -d ${body}`,
    answer: 'It answers with the message that a user signs with a wallet to sign in.',
    waits: false,
  };
}
