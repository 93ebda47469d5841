import { Injectable } from '@nestjs/common';
import { SignerClient } from '../../custody/signer-client.js';

/** A signature by one of the service's keys. */
export interface OwnSignature {
  /** Base58. */
  readonly address: string;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** Signs with keys that this process does not hold. */
export abstract class SolanaSigner {
  /**
   * Signs the message of a stored transaction that is `accepted`: with the account's key, and the sponsor's if it pays the fee.
   * @throws AppError 503 when the keys are away
   */
  abstract signSolanaTransaction(request: {
    readonly transactionId: string;
  }): Promise<readonly OwnSignature[]>;
}

/** Signs in the process that holds the keys. */
@Injectable()
export class VaultSolanaSigner extends SolanaSigner {
  constructor(private readonly signer: SignerClient) {
    super();
  }

  async signSolanaTransaction({
    transactionId,
  }: {
    readonly transactionId: string;
  }): Promise<readonly OwnSignature[]> {
    const signatures = await this.signer.signSolanaTransaction(transactionId);
    return signatures.map(({ address, signature }) => ({
      address,
      signature: Buffer.from(signature, 'base64'),
    }));
  }
}
