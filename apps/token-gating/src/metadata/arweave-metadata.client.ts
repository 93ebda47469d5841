import { Injectable } from '@nestjs/common';
import { askGateways, Gateway, type GatewayAnswer } from './gateway.js';
import { GatewayHttpClient } from './gateway-http.client.js';
import { createMetadataFailure, type MetadataFailure } from './metadata-failure.js';
import { METADATA_LIMITS } from './metadata-limits.js';
import { MetadataConfig } from './metadata.config.js';
import { WebMetadataClient } from './web-metadata.client.js';

const ARWEAVE_URI_PATTERN = /^ar:\/\/([a-z0-9_-]{43}(?:\/[^?#]*)?)$/i;

/** Fetches files from Arweave gateways, which are trusted. Their redirects are judged like those of any server. */
@Injectable()
export class ArweaveMetadataClient {
  private readonly gateways: readonly Gateway[];

  constructor(
    config: MetadataConfig,
    private readonly http: GatewayHttpClient,
    private readonly web: WebMetadataClient,
  ) {
    this.gateways = config.ARWEAVE_GATEWAYS.map((origin) => new Gateway(origin));
  }

  async get(uri: string, deadline: number): Promise<Buffer | MetadataFailure> {
    const path = ARWEAVE_URI_PATTERN.exec(uri)?.[1];
    if (path === undefined)
      return createMetadataFailure('metadata_refused', 'has an ar URI that is not ar://<transaction>/<path>');
    return askGateways(this.gateways, deadline, (gateway, ownDeadline) =>
      this.request(`${gateway.origin}/${path}`, ownDeadline),
    );
  }

  private async request(url: string, deadline: number): Promise<GatewayAnswer> {
    const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
    const first = await this.http.getBytes(url, '*/*', { maxBytes: METADATA_LIMITS.maxBytes, timeoutMs });
    const content = await this.web.follow(url, first, deadline);
    return Buffer.isBuffer(content) ? content : { failure: content, isFinal: false };
  }
}
