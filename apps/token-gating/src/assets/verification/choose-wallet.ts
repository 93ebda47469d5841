import { account as accountSchema, type LinkedWallet } from '@app/dto';
import { accountForbidden, walletRequired } from './asset-claim.errors.js';

/**
 * The wallet that an account names, or the one linked first. A CAIP-10 id of a contract wallet has to name its chain; an
 * address alone prefers a wallet that counts on every chain.
 * @param wallets in the order of their linking. @throws AppError 403, or 409 without wallets
 */
export function chooseWallet(wallets: readonly LinkedWallet[], account: string | undefined): LinkedWallet {
  const [first] = wallets;
  if (!first) throw walletRequired();
  if (account === undefined) return first;
  const { data } = accountSchema.safeParse(account);
  if (!data || data.family === 'user') throw accountForbidden();
  const { family, address } = data;
  const matching = wallets.filter((wallet) =>
    family === 'solana'
      ? wallet.type === 'solana' && wallet.address === address
      : wallet.type !== 'solana' && wallet.address.toLowerCase() === address,
  );
  const [, chainId] = account.split(':');
  const found =
    matching.find(({ type }) => type !== 'contract') ??
    matching.find((wallet) => chainId === undefined || wallet.chainId === chainId);
  if (!found) throw accountForbidden();
  return found;
}
