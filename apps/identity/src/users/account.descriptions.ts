import { MAX_WALLETS_PER_USER } from '@app/dto';
import { MAX_LINKED_USERS } from './wallets/wallet-connections.queries.js';

export const LINK_WALLET_DESCRIPTION = `\`message\` is the exact text that \`GET /account/auth-message\` returned to this user, and \`signedMessage\` its
signature by the wallet. The first attempt uses the message up, also when it fails: 400 \`signature_invalid\` or \`challenge_invalid\`.
When a contract wallet could not be checked (503, 429, and 400 \`contract_wallet_not_supported\`) the message stays valid until it
expires. Linking a wallet again succeeds and changes nothing. Balances that are not known within two seconds are omitted.`;

export const WALLET_LIMIT_CONFLICT = {
  wallet_limit_exceeded: `the user already has ${MAX_WALLETS_PER_USER} wallets`,
};

const REMOVAL_EFFECTS = `Roles that depend on it are checked again. Sessions stay: tokens and credentials of the wallet are valid until they expire
or are revoked. The next sign-in with the wallet links it again.`;

export const REMOVE_WALLET_DESCRIPTION = `\`address\` may be a CAIP-10 id. An address removes every wallet at it, including contract wallets on several chains. 404
\`wallet_not_found\` when the user has no such wallet. ${REMOVAL_EFFECTS}`;

export const REMOVE_ALL_WALLETS_DESCRIPTION = REMOVAL_EFFECTS;

export const PROFILE_DESCRIPTION = `\`address\` needs no scope. \`username\`, \`name\` and \`picture\` need \`user:read\`. Match users by \`id\`: everything
else may change, and two users may have the same name.`;

export const CHANGE_PROFILE_DESCRIPTION = `Returns the profile, with the names and the picture only if the token has \`user:read\`, too. An Ethereum credential never carries \`user:write\`.`;

export const LINKED_USERS_DESCRIPTION = `User ids only, at most ${MAX_LINKED_USERS}. A contract wallet counts as shared only between users that linked it on the same chain.`;
