import { toHex, toUtf8 } from './bytes.js';
import { enableCopyButton } from './copy-button.js';
import {
  NoAccountError,
  type OnWalletFound,
  toAddress,
  type Wallet,
  WalletUnavailableError,
} from './wallet.js';
import type { WalletConnectClient } from './wallet-connect.vendor.js';

/** The relay has to accept the offer of a connection within this time. */
const RELAY_TIMEOUT_MS = 15_000;
/** Nobody waits longer for the wallet to hear that the connection has ended. */
const GOODBYE_TIMEOUT_MS = 2_000;
const MAX_NAME_LENGTH = 40;
const COPY_TEXT = 'Copy link';

type Session = Awaited<ReturnType<Awaited<ReturnType<WalletConnectClient['connect']>>['approval']>>;

const panel = document.querySelector<HTMLElement>('#wallet-connect');
const { projectId = '', relayUrl = '', chains = '' } = panel?.dataset ?? {};
const copyButton = panel?.querySelector<HTMLButtonElement>('button');
const phoneLink = panel?.querySelector<HTMLAnchorElement>('a');

/** @param drawn undefined to hide the panel */
function showOffer(drawn?: { uri: string; path: string; width: number }): void {
  if (!panel) return;
  panel.hidden = drawn === undefined;
  const { uri = '', path = '', width = 1 } = drawn ?? {};
  panel.querySelector('svg')?.setAttribute('viewBox', `0 0 ${String(width)} ${String(width)}`);
  panel.querySelector('path')?.setAttribute('d', path);
  if (copyButton) {
    copyButton.dataset['copy'] = uri;
    copyButton.textContent = COPY_TEXT;
  }
  if (!phoneLink) return;
  phoneLink.href = uri;
  phoneLink.hidden = !matchMedia('(pointer: coarse)').matches;
}

/** Rejects after a time. */
const endAfter = (milliseconds: number, error: Error): Promise<never> =>
  new Promise((_, reject) => setTimeout(reject, milliseconds, error));

const unreachable = () =>
  new WalletUnavailableError(
    'The relay between this page and your phone cannot be reached. Check your connection and try again, or choose another wallet.',
  );

const hungUp = () =>
  new WalletUnavailableError('Your wallet ended the connection. Nothing was signed. Choose it again.');

const loadLibrary = () =>
  import('./wallet-connect.vendor.js').catch(() => {
    throw unreachable();
  });

/** A connection to the wallet of a phone, which ends with the first signature. */
class PhoneConnection {
  private session: Session | undefined;
  private isEnded = false;
  private readonly gone: Promise<never>;

  private constructor(private readonly client: WalletConnectClient) {
    this.gone = new Promise((_, reject) => {
      client.on('session_delete', () => {
        this.session = undefined;
        reject(hungUp());
      });
    });
    // Waited for only while the wallet has something to answer.
    this.gone.catch(() => undefined);
  }

  /** Shows the offer of a connection. @param onOpen called before anything is waited for that the user may not want to wait for */
  static async open(
    onOpen: (connection: PhoneConnection) => void,
    wanted: string | undefined,
  ): Promise<string> {
    const { createClient, drawQrCode } = await loadLibrary();
    const { host, origin } = window.location;
    const metadata = { name: host, description: `Sign in at ${host}`, url: origin, icons: [] };
    const client = await createClient(projectId, relayUrl, metadata);
    const connection = new PhoneConnection(client);
    onOpen(connection);
    const refused = new Promise<never>((_, reject) => {
      client.core.relayer.once('relayer_error', () => {
        reject(unreachable());
      });
    });
    const namespace = { chains: chains.split(' '), methods: ['personal_sign'], events: [] };
    const offer = client.connect({ optionalNamespaces: { eip155: namespace } }).catch(() => {
      throw unreachable();
    });
    const { uri = '', approval } = await Promise.race([
      offer,
      refused,
      endAfter(RELAY_TIMEOUT_MS, unreachable()),
    ]);
    if (!connection.isEnded) showOffer({ uri, ...drawQrCode(uri) });
    connection.session = await Promise.race([approval(), refused]);
    showOffer();
    return connection.findAccount(wanted);
  }

  /** What the wallet calls itself. */
  get name(): string | undefined {
    return this.session?.peer.metadata.name.trim().slice(0, MAX_NAME_LENGTH);
  }

  async sign(message: string, accountId: string): Promise<string> {
    if (!this.session) throw hungUp();
    const [namespace, reference, address] = accountId.split(':');
    const request = this.client.request<string>({
      topic: this.session.topic,
      chainId: `${String(namespace)}:${String(reference)}`,
      request: { method: 'personal_sign', params: [toHex(toUtf8(message)), address] },
    });
    try {
      return await Promise.race([request, this.gone]);
    } catch (error) {
      if (!isGoodbye(error)) throw error;
      this.session = undefined;
      throw hungUp();
    }
  }

  /** Tells the wallet that the connection has ended, and closes it. */
  async end(): Promise<void> {
    if (this.isEnded) return;
    this.isEnded = true;
    showOffer();
    const { client, session } = this;
    const goodbye = session && client.disconnect({ topic: session.topic, reason: GOODBYE });
    await Promise.race([goodbye, endAfter(GOODBYE_TIMEOUT_MS, unreachable())]).catch(() => undefined);
    client.core.heartbeat.stop();
    await client.core.relayer.transportClose().catch(() => undefined);
  }

  /** The account that the page needs, or the first one, on a chain that was asked for. */
  private findAccount(wanted: string | undefined): string {
    const accounts = this.session?.namespaces['eip155']?.accounts ?? [];
    const known = accounts.filter((id) => chains.split(' ').includes(id.split(':').slice(0, 2).join(':')));
    const address = wanted === undefined ? undefined : toAddress(wanted);
    // Where the account that is wanted was not approved, the page names it to the user.
    const chosen = known.find((id) => toAddress(id) === address) ?? known[0];
    if (chosen !== undefined) return chosen;
    const name = this.name ?? 'Your wallet';
    if (accounts.length === 0) throw new NoAccountError(name, 'Ethereum');
    throw new WalletUnavailableError(
      `The account of ${name} is on a chain that this service does not know. Switch to Ethereum there and try again.`,
    );
  }
}

/** `USER_DISCONNECTED` of WalletConnect. */
const GOODBYE = { code: 6_000, message: 'The page has what it asked for.' };

/** Whether the wallet has ended the connection in place of an answer, so that no goodbye of the page may cross its own. */
const isGoodbye = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === GOODBYE.code;

/** Offers the wallet of a phone over WalletConnect where the deployment has a project there. Nothing of it is loaded before it is chosen. */
export function offerWalletConnect(onWallet: OnWalletFound): void {
  if (!panel) return;
  if (copyButton) enableCopyButton(copyButton);
  let connection: PhoneConnection | undefined;
  let attempt = 0;
  let accountId = '';
  const end = async (): Promise<void> => {
    attempt += 1;
    await connection?.end();
  };
  const wallet: Wallet = {
    get name() {
      return connection?.name ?? 'WalletConnect';
    },
    label: 'WalletConnect (phone)',
    connectTexts: {
      slow: 'Scan the code with the wallet on your phone and approve the connection there, or choose another wallet.',
      timedOut:
        'No wallet answered within 3 minutes. Choose WalletConnect again for a new code, or choose another wallet.',
    },
    connect: async (wanted) => {
      await end();
      const own = attempt;
      connection = undefined;
      accountId = await PhoneConnection.open((opened) => {
        if (own === attempt) connection = opened;
        // Nobody waits any more, and that was said before there was a connection to end.
        else void opened.end();
      }, wanted);
      return accountId;
    },
    sign: async (message) => {
      if (!connection) throw hungUp();
      const signature = await connection.sign(message, accountId);
      // The page is left with the next answer of the server, which must not come before the goodbye.
      await end();
      return { signatureType: 'eip191', signature };
    },
    end,
  };
  onWallet(wallet);
  // The wallet hears that a page was left, where the browser still sends it.
  window.addEventListener('pagehide', () => {
    void end();
  });
}
