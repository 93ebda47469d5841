/**
 * The first members whose reads fit together, and one at least: how much one of them costs is known only when their wallets
 * are.
 */
export function truncatePage<M extends { readonly wallets: readonly unknown[] }>(
  members: readonly M[],
  { readsPerWallet, mostReads }: { readonly readsPerWallet: number; readonly mostReads: number },
): readonly M[] {
  let reads = 0;
  const end = members.findIndex(({ wallets }, index) => {
    reads += wallets.length * readsPerWallet;
    return index > 0 && reads > mostReads;
  });
  return end < 0 ? members : members.slice(0, end);
}
