import { type BytesResponse, SafeHttpClient } from '@app/http';
import { Injectable } from '@nestjs/common';
import { createMetadataFailure, type MetadataFailure, toStatusFailure } from './metadata-failure.js';
import { METADATA_LIMITS } from './metadata-limits.js';

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
