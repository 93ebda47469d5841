import { Injectable } from '@nestjs/common';
import { SignerClient } from '../../key-vault/signer-client.js';
import { type OwnSignature, SolanaSigner } from './solana-signer.js';

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
