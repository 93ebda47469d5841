import { postJson } from '../post-json.js';
import type { Eip1193Provider } from '../ethereum-wallets.js';

interface Account {
  name: string;
  chainId: number;
  address: string;
}

/** EIP-1193. */
const NOT_SUPPORTED = 4200;

const csrf = document.querySelector<HTMLElement>('#login')?.dataset['csrf'] ?? '';

function providerOf({ chainId, address }: Account): Eip1193Provider {
  return {
    request: async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts') return [address];
      if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
      if (method !== 'personal_sign')
        throw Object.assign(new Error(`No ${method} here`), { code: NOT_SUPPORTED });
      const question = { address, message: params[0] };
      return (await postJson<{ signature: string }>('/login/test-wallet/signatures', csrf, question))
        .signature;
    },
  };
}

/** Announces itself as wallet extensions do (EIP-6963). Its keys are the local chain's: none of them is here. */
function announce(account: Account): void {
  const detail = Object.freeze({
    info: { uuid: `test-wallet-${account.name}`, name: `Test wallet (local): ${account.name}` },
    provider: providerOf(account),
  });
  window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
}

postJson<{ accounts: Account[] }>('/login/test-wallet/accounts', csrf, {}).then(
  ({ accounts }) => {
    accounts.forEach(announce);
  },
  // The page says itself that it found no wallet.
  reportError,
);
