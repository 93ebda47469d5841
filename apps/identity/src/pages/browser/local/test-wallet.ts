import { postJson } from '../post-json.js';
import type { Eip1193Provider } from '../ethereum-wallets.js';

interface Account {
  name: string;
  chainId: number;
  address: string;
}

/** EIP-1193. */
const NOT_SUPPORTED = 4200;

const csrf = document.querySelector<HTMLElement>('[data-csrf]')?.dataset['csrf'] ?? '';

function createProvider({ chainId, address }: Account): Eip1193Provider {
  return {
    request: async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts') return [address];
      if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
      if (method !== 'personal_sign')
        throw Object.assign(new Error(`${method} is not supported`), { code: NOT_SUPPORTED });
      const body = { address, message: params[0] };
      return (await postJson<{ signature: string }>('/login/test-wallet/signatures', csrf, body)).signature;
    },
  };
}

/** Announces the wallet by EIP-6963. The local chain holds its keys. */
function announce(account: Account): void {
  const detail = Object.freeze({
    info: { uuid: `test-wallet-${account.name}`, name: `Test wallet (local): ${account.name}` },
    provider: createProvider(account),
  });
  window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
}

postJson<{ accounts: Account[] }>('/login/test-wallet/accounts', csrf, {}).then(
  ({ accounts }) => {
    accounts.forEach(announce);
  },
  // The login page itself reports that it found no wallet.
  reportError,
);
