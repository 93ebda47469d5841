/**
 * The parts of WalletConnect and of a QR code library that pages use. Loaded when a person chooses WalletConnect. The build bundles this
 * module with them (scripts/build/bundle.mjs).
 */
import { SignClient } from '@walletconnect/sign-client';
import { encode } from 'uqr';

type Options = NonNullable<Parameters<typeof SignClient.init>[0]>;
type Storage = NonNullable<Options['storage']>;
export type WalletConnectClient = InstanceType<typeof SignClient>;

/** Keeps keys and sessions in the memory of the page, so that nothing of them outlives it. */
function createStorage(): Storage {
  const items = new Map<string, unknown>();
  return {
    getKeys: () => Promise.resolve([...items.keys()]),
    // The SDK says which type it has stored under a key.
    getEntries: <T>() => Promise.resolve(structuredClone([...items]) as [string, T][]),
    getItem: <T>(key: string) => Promise.resolve(structuredClone(items.get(key)) as T | undefined),
    setItem: (key, value) => {
      items.set(key, structuredClone(value));
      return Promise.resolve();
    },
    removeItem: (key) => {
      items.delete(key);
      return Promise.resolve();
    },
  };
}

let clients = 0;

/**
 * A client that speaks to the relay only: it reports nothing to WalletConnect, and leaves out its Verify service, for which the page would
 * have to frame another host.
 */
export async function createClient(
  projectId: string,
  relayUrl: string,
  metadata: Options['metadata'],
): Promise<WalletConnectClient> {
  clients += 1;
  const client = await SignClient.init({
    projectId,
    relayUrl,
    metadata,
    storage: createStorage(),
    // The SDK shares what has the same prefix, also after it was closed.
    customStoragePrefix: String(clients),
    telemetryEnabled: false,
    logger: 'silent',
  });
  client.core.verify.register = () => Promise.resolve('');
  return client;
}

/** The path of a QR code's dark modules, each of which is 1 wide, and the width of the code with the margin that scanners need. */
export function drawQrCode(text: string): { path: string; width: number } {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${String(x)} ${String(y)}h1v1h-1z`] : [])),
  );
  return { path: path.join(''), width: size };
}
