/** Takes the first members whose reads fit a page, at least one. Runs after the wallets are loaded, which decide the cost. */
export function truncatePage<M extends { readonly wallets: readonly unknown[] }>(
  members: readonly M[],
  { readsPerWallet, maxReads }: { readonly readsPerWallet: number; readonly maxReads: number },
): readonly M[] {
  let reads = 0;
  const end = members.findIndex(({ wallets }, index) => {
    reads += wallets.length * readsPerWallet;
    return index > 0 && reads > maxReads;
  });
  return end < 0 ? members : members.slice(0, end);
}
