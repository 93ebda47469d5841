import { badGateway, serviceUnavailable } from '@app/common';
import { Agent, readBoundedBody } from '@app/http';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { TestWalletConfig } from './test-wallet.config.js';

const TIMEOUT_MS = 3_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

const rpcResponse = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
const addresses = z.array(z.string());
const signature = z.string().regex(/^0x[0-9a-f]{130}$/);

/** JSON-RPC client for the unlocked accounts of a local chain. */
@Injectable()
export class LocalChainClient {
  private readonly agent = new Agent();

  constructor(private readonly config: TestWalletConfig) {}

  async listAddresses(): Promise<string[]> {
    return addresses.parse(await this.call('eth_accounts', []));
  }

  /** An EIP-191 signature. @param message 0x and hex */
  async sign(address: string, message: string): Promise<string> {
    return signature.parse(await this.call('personal_sign', [message, address]));
  }

  /** @throws AppError 503 if the chain does not respond, 502 if it returns an error */
  private async call(method: string, params: string[]): Promise<unknown> {
    const { result, error } = await this.post({ jsonrpc: '2.0', id: 1, method, params });
    if (error)
      throw badGateway('chain_request_invalid', `The local chain returned an error: ${error.message}`);
    return result;
  }

  private async post(body: object): Promise<z.output<typeof rpcResponse>> {
    try {
      const { origin, pathname, search } = new URL(this.config.TEST_WALLET.rpcUrl);
      const response = await this.agent.request({
        origin,
        path: `${pathname}${search}`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = (await readBoundedBody(response.body, MAX_RESPONSE_BYTES)).toString('utf8');
      return rpcResponse.parse(JSON.parse(text));
    } catch (cause) {
      throw serviceUnavailable('chain_unavailable', 'The local chain does not respond.', {}, { cause });
    }
  }
}
