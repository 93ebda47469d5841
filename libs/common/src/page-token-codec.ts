import { decryptAesGcm, encryptAesGcm } from './aes-gcm.js';
import { decodeBase64url } from './encodings.js';
import { badRequest } from './errors.js';

/** The list and the caller that a page token is bound to. */
export interface PageTokenScope {
  /** The list that the token pages, for example `wallets` or `members/<community id>`. */
  readonly list: string;
  /** The caller of the list; tokens of other callers are rejected. */
  readonly caller: string;
}

/**
 * Page tokens (contract.md section 2): opaque, tamper-proof, bound to the list and the caller. They encrypt the sort key
 * of the last item, so that pages stay stable while rows are inserted and deleted.
 */
export class PageTokenCodec {
  /** @param key 32 bytes, the same in every replica */
  constructor(private readonly key: Buffer) {}

  /** @param after the sort key of the last item of a page */
  encode(scope: PageTokenScope, after: readonly string[]): string {
    const plain = Buffer.from(JSON.stringify(after));
    return encryptAesGcm(this.key, plain, toAssociatedData(scope)).toString('base64url');
  }

  /** The sort key to continue after; undefined on the first page. @throws AppError 400 `pagination_token_invalid` */
  decode(scope: PageTokenScope, token: string | undefined): readonly string[] | undefined {
    if (token === undefined) return undefined;
    const encrypted = decodeBase64url(token);
    const plain = encrypted && decryptAesGcm(this.key, encrypted, toAssociatedData(scope));
    if (!plain) throw paginationTokenInvalid();
    return JSON.parse(plain.toString('utf8')) as string[]; // authenticated, so written by encode()
  }
}

const toAssociatedData = ({ list, caller }: PageTokenScope): string => JSON.stringify(['page', list, caller]);

function paginationTokenInvalid() {
  const message = 'is not a token of this list';
  return badRequest('pagination_token_invalid', `paginationToken: ${message}`, {
    issues: [{ path: 'paginationToken', message }],
  });
}
