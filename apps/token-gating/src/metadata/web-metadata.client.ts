import { type BytesResponse, SafeHttpClient } from '@app/http';
import { Injectable } from '@nestjs/common';
import { askGateways, Gateway, type GatewayAnswer, GatewayHttpClient } from './gateway.js';
import { createMetadataFailure, type MetadataFailure, toStatusFailure } from './metadata-failure.js';
import { METADATA_LIMITS, MetadataConfig } from './metadata.config.js';

const ACCEPT = 'application/json, */*;q=0.1';
const MAX_REDIRECTS = 3;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Fetches https URLs that token contracts or gateways name. Each redirect is judged like the first URL. */
@Injectable()
export class WebMetadataClient {
  constructor(private readonly http: SafeHttpClient) {}

  /** @throws SafeHttpError */
  async get(url: string, deadline: number): Promise<Buffer | MetadataFailure> {
    return this.follow(url, await this.request(url, deadline), deadline);
  }

  /** Follows the redirects of an answer to `url`, which another client may have fetched. @throws SafeHttpError */
  async follow(url: string, first: BytesResponse, deadline: number): Promise<Buffer | MetadataFailure> {
    let [base, response] = [url, first];
    for (let redirects = 0; REDIRECT_STATUSES.has(response.status); redirects += 1) {
      const target = toTarget(response.location, base);
      if (target === undefined || redirects === MAX_REDIRECTS)
        return createMetadataFailure('metadata_refused', 'was redirected too often or to no URL');
      base = target;
      response = await this.request(target, deadline);
    }
    return response.status === 200 ? response.bytes : toStatusFailure(response.status);
  }

  private request(url: string, deadline: number): Promise<BytesResponse> {
    const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
    return this.http.getBytes(url, ACCEPT, { maxBytes: METADATA_LIMITS.maxBytes, timeoutMs });
  }
}

function toTarget(location: string | undefined, base: string): string | undefined {
  if (location === undefined || !URL.canParse(location, base)) return undefined;
  const url = new URL(location, base);
  url.hash = '';
  return url.href;
}

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
