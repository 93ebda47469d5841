import type { BrowserContext } from 'playwright-core';
import { bytesToString, type Hex, hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

export interface TestWallet {
  address: string;
  /** The messages of all signing requests, in order. */
  messages: string[];
  /** Signs a message outside of a page. */
  sign: (message: string) => Promise<Hex>;
  /** The response to further signing requests. */
  behaviour: 'signs' | 'declines' | 'signs something else' | 'never answers';
  /** For the same wallet in another browser. */
  privateKey: Hex;
}

export interface WalletOptions {
  name?: string;
  /** Provides only `window.ethereum`, as before EIP-6963. */
  legacy?: boolean;
  /** No wallet at all. */
  none?: boolean;
  privateKey?: Hex;
}

/** Runs in every page before its scripts: an EIP-1193 provider that signs in the test process. */
const provider = (call: string, name: string, legacy: boolean): string => `{
  const provider = {
    request: async ({ method, params }) => {
      const { result, error } = await window[${JSON.stringify(call)}](method, params ?? []);
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
  };
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', {
    detail: Object.freeze({
      info: { uuid: ${JSON.stringify(call)}, name: ${JSON.stringify(name)}, rdns: 'test.wallet',
        icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1" fill="teal"/></svg>' },
      provider,
    }),
  }));
  if (${String(legacy)}) window.ethereum = provider;
  else {
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  }
}`;

let wallets = 0;

/** Installs a wallet in every page of a browser context. Its key stays in the test process. */
export async function installWallet(
  context: BrowserContext,
  {
    name = 'Test Wallet',
    legacy = false,
    none = false,
    privateKey = generatePrivateKey(),
  }: WalletOptions = {},
): Promise<TestWallet> {
  const account = privateKeyToAccount(privateKey);
  const wallet: TestWallet = {
    address: account.address,
    messages: [],
    privateKey,
    behaviour: 'signs',
    sign: (message) => account.signMessage({ message }),
  };
  const sign = async (hex: Hex) => {
    const message = bytesToString(hexToBytes(hex));
    wallet.messages.push(message);
    if (wallet.behaviour === 'never answers') return new Promise<never>(() => undefined);
    if (wallet.behaviour === 'declines') return { error: { code: 4001, message: 'User rejected' } };
    const text = wallet.behaviour === 'signs' ? message : `${message} `;
    return { result: await account.signMessage({ message: text }) };
  };
  if (none) return wallet;
  wallets += 1;
  const call = `testWallet${String(wallets)}`;
  await context.exposeFunction(call, (method: string, params: Hex[]) => {
    if (method === 'eth_requestAccounts') return { result: [account.address.toLowerCase()] };
    if (method === 'eth_chainId') return { result: '0x7a69' };
    if (method === 'personal_sign' && params[0]) return sign(params[0]);
    return { error: { code: 4200, message: `No ${method} here` } };
  });
  await context.addInitScript({ content: provider(call, name, legacy) });
  return wallet;
}
