import { ChainConfig } from '@app/chain/evm';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BaseError } from 'viem';
import { createBundlerClient, formatUserOperationRequest } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { createNodeTransports, type NodeTransports } from '../../evm/nodes/create-node-transport.js';
import type { ClaimedOperation } from '../bundles/claimed-operation.js';

/**
 * - `sent`: the bundler has it
 * - `refused`: it does not take it, for instance because its simulation failed
 * - `unavailable`: it is not known whether the bundler has it
 */
type SubmissionResult =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused' | 'unavailable'; readonly reason: string };

const MAX_REASON_LENGTH = 200;
const KNOWN_PATTERN = /already known|already in (?:the )?mempool|duplicate/i;
/** Codes of ERC-7769 for operations that a bundler does not accept, and of invalid parameters. */
const isRefusal = (code: unknown): boolean =>
  code === -32_602 || (typeof code === 'number' && code <= -32_500 && code > -32_600);

/** Sends user operations to bundlers (ERC-7769). */
@Injectable()
export class BundlerClientService implements OnApplicationShutdown {
  private readonly transports: NodeTransports;

  constructor({ settings }: ChainConfig) {
    this.transports = createNodeTransports({
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transports.close();
  }

  /** Sending the same bytes again is harmless. */
  async send(url: string, { version, operation }: ClaimedOperation): Promise<SubmissionResult> {
    const client = createBundlerClient({ transport: this.transports.create(url) });
    try {
      const request = formatUserOperationRequest(operation);
      await client.request({
        method: 'eth_sendUserOperation',
        params: [request, ACCOUNT_CONTRACTS[version].entryPoint],
      });
      return { outcome: 'sent' };
    } catch (error) {
      const { text, code } = explain(error);
      if (KNOWN_PATTERN.test(text)) return { outcome: 'sent' };
      return {
        outcome: isRefusal(code) ? 'refused' : 'unavailable',
        reason: text.slice(0, MAX_REASON_LENGTH),
      };
    }
  }
}

/** Without the URL, which may contain a key. */
function explain(error: unknown): { text: string; code: unknown } {
  if (!(error instanceof BaseError)) return { text: String(error), code: undefined };
  const withCode = error.walk((cause) => typeof (cause as { code?: unknown }).code === 'number');
  return { text: error.details || error.shortMessage, code: (withCode as { code?: unknown } | null)?.code };
}
