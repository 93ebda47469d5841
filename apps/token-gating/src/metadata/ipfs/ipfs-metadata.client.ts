import type { BytesResponse } from '@app/http';
import { Injectable } from '@nestjs/common';
import { askGateways, Gateway, type GatewayAnswer, GatewayFaultError } from '../gateway.js';
import { GatewayHttpClient } from '../gateway-http.client.js';
import { createMetadataFailure, type MetadataFailure, toStatusFailure } from '../metadata-failure.js';
import { METADATA_LIMITS } from '../metadata-limits.js';
import { MetadataConfig } from '../metadata.config.js';
import { exportFile } from './export-file.js';
import { type IpfsTarget, parseIpfsUri } from './parse-ipfs-uri.js';
import { BlockMismatchError, isHashOf, MissingBlockError, readVerifiedBlocks } from './verified-blocks.js';

const CAR = 'application/vnd.ipld.car';
/** The document, and directories on the path to it. */
const MAX_CAR_BYTES = 4 * METADATA_LIMITS.maxBytes;
const RAW_CODEC = 0x55;

class IpfsGateway extends Gateway {
  constructor(
    origin: string,
    /** Whether its plain answers are believed, without a proof. */
    readonly isTrusted: boolean,
  ) {
    super(origin);
  }
}

/** Fetches files from IPFS gateways and verifies them against their CIDs. */
@Injectable()
export class IpfsMetadataClient {
  private readonly gateways: readonly IpfsGateway[];

  constructor(
    config: MetadataConfig,
    private readonly http: GatewayHttpClient,
  ) {
    const trusted = config.IPFS_TRUSTED_GATEWAYS;
    const others = config.IPFS_GATEWAYS.filter((origin) => !trusted.includes(origin));
    this.gateways = [
      ...others.map((origin) => new IpfsGateway(origin, false)),
      ...trusted.map((origin) => new IpfsGateway(origin, true)),
    ];
  }

  async get(uri: string, deadline: number): Promise<Buffer | MetadataFailure> {
    const target = parseIpfsUri(uri);
    if ('ok' in target) return target;
    return askGateways(this.gateways, deadline, (gateway, ownDeadline) =>
      this.request(gateway, target, ownDeadline),
    );
  }

  private async request(gateway: IpfsGateway, target: IpfsTarget, deadline: number): Promise<GatewayAnswer> {
    const path = [target.cid.toString(), ...target.path.map(encodeURIComponent)].join('/');
    const query = gateway.isTrusted ? '' : '?format=car&dag-scope=entity';
    const response = await this.http.getBytes(
      `${gateway.origin}/ipfs/${path}${query}`,
      gateway.isTrusted ? '*/*' : CAR,
      {
        maxBytes: gateway.isTrusted ? METADATA_LIMITS.maxBytes : MAX_CAR_BYTES,
        timeoutMs: Math.max(1, Math.round(deadline - performance.now())),
      },
    );
    if (response.status !== 200) return { failure: toStatusFailure(response.status), isFinal: false };
    if (gateway.isTrusted) return response.bytes;
    return verify(target, response).catch(toFault);
  }
}

async function verify(target: IpfsTarget, { contentType, bytes }: BytesResponse): Promise<GatewayAnswer> {
  if (!contentType.startsWith(CAR)) return verifyPlain(target, bytes);
  const file = await exportFile(target, await readVerifiedBlocks(bytes, target.cid));
  return Buffer.isBuffer(file) ? file : { failure: file, isFinal: true };
}

/** A plain answer is verifiable only when the CID is the hash of the file itself. */
function verifyPlain({ cid, path }: IpfsTarget, bytes: Buffer): GatewayAnswer {
  if (cid.code !== RAW_CODEC || path.length > 0) return { failure: UNVERIFIABLE, isFinal: false };
  if (!isHashOf(cid, bytes)) throw new BlockMismatchError('the answer has another hash');
  return bytes;
}

function toFault(error: unknown): GatewayAnswer {
  if (error instanceof MissingBlockError) return { failure: INCOMPLETE, isFinal: false };
  if (error instanceof BlockMismatchError) throw new GatewayFaultError(error.message, { cause: error });
  throw error;
}

const INCOMPLETE = createMetadataFailure('metadata_unavailable', 'is incomplete at the IPFS gateway');
const UNVERIFIABLE = createMetadataFailure(
  'metadata_unavailable',
  'cannot be verified: the IPFS gateway sends no CAR',
);
