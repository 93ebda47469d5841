import { checkRoles, createClient, GatehouseError, readRole } from '@gatehouse/client';

const baseUrl = process.env.NEXT_PUBLIC_GATEHOUSE_URL;

export const application = {
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
  redirectUri: `${process.env.APP_URL}/callback`,
};

/** For the token endpoint, or with the access token of a user. */
export const createUserClient = (accessToken) => createClient({ baseUrl, accessToken });

/**
 * Asks for a role of a user, by whichever of their wallets. The client waits out 429 and repeats the check after a lost answer; a visitor
 * should not wait longer than this.
 * @returns granted, denied, undetermined (a blockchain could not be read), unavailable or consent_required
 */
export async function readRoleOf(userId, role) {
  const retry = { attempts: 3, maxDelayMs: 5_000 };
  const gatehouse = createClient({
    baseUrl,
    apiKey: process.env.GATEHOUSE_API_KEY,
    timeoutMs: 10_000,
    retry,
  });
  try {
    return readRole(
      await checkRoles(gatehouse, { account: userId, rules: [JSON.parse(process.env.RULE)] }),
      role,
    );
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'account_not_found') return 'consent_required';
    console.error(error);
    return 'unavailable';
  }
}
