/** @import { Address, Hex } from 'viem' */
/** @typedef {{ address: Address, privateKey: Hex }} DemoAccount */
/** @typedef {Record<'deployer' | 'holder' | 'paymasterSigner' | 'executor' | 'outsider' | 'chatter', DemoAccount>} DemoAccounts */

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
/** The wallet of the chat user. It is nobody else's, so that nobody is warned of it. */
const CHATTER = 11;

/** @type {Promise<DemoAccounts> | undefined} */
let accounts;

/** @returns {Promise<DemoAccounts>} */
export function demoAccounts() {
  accounts ??= deriveAccounts();
  return accounts;
}

async function deriveAccounts() {
  const { mnemonicToAccount, privateKeyToAddress } = await import('viem/accounts');
  const { bytesToHex } = await import('viem');
  // The seed is made once for all accounts: making the seed of a phrase is slow on purpose.
  const parent = mnemonicToAccount(PHRASE, { path: "m/44'/60'/0'/0" }).getHdKey();
  /** @param {number} index */
  const account = (index) => {
    const key = parent.deriveChild(index).privateKey;
    if (key === null) throw new Error('The phrase gives no private key');
    const privateKey = bytesToHex(key);
    return { address: privateKeyToAddress(privateKey), privateKey };
  };
  return {
    deployer: account(DEPLOYER),
    holder: account(HOLDER),
    paymasterSigner: account(PAYMASTER_SIGNER),
    executor: account(EXECUTOR),
    outsider: account(OUTSIDER),
    chatter: account(CHATTER),
  };
}
