import {
  accountWalletsResponse,
  clientPlansResponse,
  credentialChanges,
  credentialResponse,
  deletedCommunityResponse,
  ethereumCredentialResponse,
  matchingUsersResponse,
  memberWalletsResponse,
  platformUsersResponse,
  revokedTokensPage,
  tokenKeys,
  userNamesResponse,
  userPlansResponse,
  usersResponse,
  walletLinksResponse,
  walletReadersResponse,
  walletsResponse,
} from '@app/dto';
import type { z } from 'zod';

/** The schema that identity's controller returns, by path. */
const IDENTITY_RESPONSES: Readonly<Record<string, z.ZodType>> = {
  '/internal/client-plans': clientPlansResponse,
  '/internal/communities/deleted': deletedCommunityResponse,
  '/internal/credentials': credentialResponse,
  '/internal/credentials/changes': credentialChanges,
  '/internal/credentials/revoked-tokens': revokedTokensPage,
  '/internal/ethereum-credentials': ethereumCredentialResponse,
  '/internal/platform-users': platformUsersResponse,
  '/internal/token-keys': tokenKeys,
  '/internal/user-plans': userPlansResponse,
  '/internal/users': usersResponse,
  '/internal/users/matching': matchingUsersResponse,
  '/internal/users/names': userNamesResponse,
  '/internal/wallets': walletsResponse,
  '/internal/wallets/links': walletLinksResponse,
  '/internal/wallets/of-account': accountWalletsResponse,
  '/internal/wallets/of-members': memberWalletsResponse,
  '/internal/wallets/readers': walletReadersResponse,
};

/** The JSON that a stand-in for identity sends. @throws Error for a response that identity would not give */
export function toIdentityResponse(path: string, response: object): string {
  const schema = IDENTITY_RESPONSES[path];
  if (!schema) throw new Error(`The stand-in for identity has no schema for ${path}`);
  const text = JSON.stringify(response);
  schema.parse(JSON.parse(text));
  return text;
}
