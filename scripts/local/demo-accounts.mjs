/** The development phrase that local chains share; its first ten accounts are funded there. Worthless anywhere else. */
const PHRASE = 'test test test test test test test test test test test junk';
const DEPLOYER = 0;
const HOLDER = 1;
/** Signs what the local paymaster pays for. */
const PAYMASTER_SIGNER = 2;
/** Sends the bundles of user operations. */
const EXECUTOR = 3;
/** Beyond the funded ones: holds no token and no coin either. */
export const OUTSIDER = 10;

/** @returns {Promise<Record<'deployer' | 'holder' | 'paymasterSigner' | 'executor' | 'outsider', { address: string, privateKey: string }>>} */
export async function demoAccounts() {
  const { mnemonicToAccount } = await import('viem/accounts');
  const { bytesToHex } = await import('viem');
  const account = (addressIndex) => {
    const found = mnemonicToAccount(PHRASE, { addressIndex });
    return { address: found.address, privateKey: bytesToHex(found.getHdKey().privateKey) };
  };
  return {
    deployer: account(DEPLOYER),
    holder: account(HOLDER),
    paymasterSigner: account(PAYMASTER_SIGNER),
    executor: account(EXECUTOR),
    outsider: account(OUTSIDER),
  };
}
