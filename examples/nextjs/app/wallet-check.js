'use client';
import { useRoles } from '@gatehouse/client/react';
import { useState } from 'react';

/** Shows at once whether a wallet holds what the lounge asks for. It opens nothing: the server decides for who has signed in. */
export function WalletCheck() {
  const [account, setAccount] = useState();
  const { status, readRole, refresh } = useRoles({
    baseUrl: process.env.NEXT_PUBLIC_GATEHOUSE_URL,
    publishableId: process.env.NEXT_PUBLIC_PUBLISHABLE_ID,
    account,
    rules: ['holders'],
  });
  async function connect() {
    const accounts = await window.ethereum?.request({ method: 'eth_requestAccounts' }).catch(() => []);
    setAccount(accounts?.[0]);
  }
  if (status === 'idle') return <button onClick={connect}>Check my wallet</button>;
  if (status === 'loading') return <p role="status">Checking what your wallet holds</p>;
  if (status === 'error') return <button onClick={refresh}>Check again</button>;
  return <p role="status">{TEXTS[readRole('holder')]}</p>;
}

const TEXTS = {
  granted: 'Your wallet opens the lounge.',
  denied: 'Your wallet does not hold what the lounge asks for.',
  undetermined: 'A blockchain could not be read. Reload the page to try again.',
};
