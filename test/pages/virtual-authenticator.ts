import type { CDPSession, Page } from 'playwright-core';

/** A credential of Chromium's virtual authenticator, with its private key. */
export interface VirtualCredential {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  /** Base64. */
  userHandle?: string;
  signCount: number;
  backupEligibility?: boolean;
  backupState?: boolean;
}

export interface AuthenticatorOptions {
  /** A page has at most one internal authenticator. */
  transport?: 'internal' | 'usb';
  /** Whether the user passes the check of the authenticator, its PIN or a fingerprint. */
  isUserVerified?: boolean;
  /** Whether the user confirms at once what a page asks for. */
  confirms?: boolean;
  credentials?: readonly VirtualCredential[];
}

/** An authenticator of one page, driven over the DevTools protocol. */
export class VirtualAuthenticator {
  private constructor(
    private readonly cdp: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async install(page: Page, options: AuthenticatorOptions = {}): Promise<VirtualAuthenticator> {
    const { transport = 'internal', isUserVerified = true, confirms = true, credentials = [] } = options;
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable', { enableUI: false });
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified,
        automaticPresenceSimulation: confirms,
      },
    });
    const authenticator = new VirtualAuthenticator(cdp, authenticatorId);
    for (const credential of credentials) await authenticator.add(credential);
    return authenticator;
  }

  async add(credential: VirtualCredential): Promise<void> {
    const { authenticatorId } = this;
    await this.cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
  }

  async credentials(): Promise<VirtualCredential[]> {
    const { authenticatorId } = this;
    const { credentials } = await this.cdp.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials;
  }

  /** Confirms what a page asks for, from now on. */
  async confirm(enabled = true): Promise<void> {
    const { authenticatorId } = this;
    await this.cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }
}
