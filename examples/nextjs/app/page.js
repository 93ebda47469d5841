import { WalletCheck } from './wallet-check.js';

export default function Home() {
  return (
    <>
      <h1>Club</h1>
      <WalletCheck />
      <p>
        <a href="/lounge">The lounge</a> is for holders.
      </p>
    </>
  );
}
