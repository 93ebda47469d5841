import { MAX_WALLETS_PER_USER } from '@app/dto';

/** What people read about the operations of an account. */
export const LINK_WALLET_DESCRIPTION = `\`message\` is what \`GET /account/auth-message\` gave this user, to the byte, and \`signedMessage\` the wallet's
signature of it. A message is used up by the first attempt, good or bad: 400 \`wrong_signature\`, \`challenge_unknown\`,
\`challenge_expired\`. Where nobody could be asked about a contract account (503, 429, and 400 \`no_nodes_of_chain\`) it stays
good for as long as it would have been. A wallet that the user has already is answered alike. What the wallet holds is left out where it is not known within two seconds.`;

export const WALLET_LIMIT_CONFLICT = { wallet_limit_exceeded: `a user has ${MAX_WALLETS_PER_USER} at most` };

const REMOVAL_EFFECTS = `What counts on it is checked again. Whoever is signed in stays signed in: tokens and credentials of the wallet live on until
they expire or are revoked. A wallet that the user signs in with is there again after the next sign-in.`;

export const REMOVE_WALLET_DESCRIPTION = `\`address\` may be a CAIP-10 id. An address means every wallet there, also contract accounts of several chains. 404
\`wallet_not_found\`: the user has none of it. ${REMOVAL_EFFECTS}`;

export const REMOVE_ALL_WALLETS_DESCRIPTION = REMOVAL_EFFECTS;

export const LINKED_USERS_DESCRIPTION =
  'Ids alone, a thousand at most. A contract account is shared by users that have it on the same chain.';
