import { isIdentityAway } from '../identity/identity-away.js';

/** Whose wallets count is not known just now. In form like the failure of a read. */
export interface WalletsFailure {
  readonly ok: false;
  readonly lasting: false;
  readonly code: 'wallets_unavailable';
  readonly message: string;
}

const WALLETS_UNAVAILABLE: WalletsFailure = Object.freeze({
  ok: false,
  lasting: false,
  code: 'wallets_unavailable',
  message: 'the wallets of the user could not be looked up',
});

/** For what became of a question to identity. Rethrows whatever is not that identity cannot be asked. */
export function toWalletsFailure(error: unknown): WalletsFailure {
  if (isIdentityAway(error)) return WALLETS_UNAVAILABLE;
  throw error;
}
