import { badRequest } from './http-errors.js';
import { encryptAesGcm, decryptAesGcm } from './aes-gcm.js';

/** Which list a page belongs to, and whose view of it. */
export interface PageTokenScope {
  /** Such as `wallets`, or `members/<community id>`. */
  readonly list: string;
  /** Who turns the pages: a token of another caller is refused. */
  readonly caller: string;
}

/**
 * Tokens that continue a list (contract.md section 2): opaque, tamper-evident, bound to the list and the caller. Inside
 * is the sort key of the last item, so that pages stay where they are while rows come and go.
 */
export class PageTokenCodec {
  /** @param key 32 bytes, the same in every instance */
  constructor(private readonly key: Buffer) {}

  /** @param after JSON: the sort key of the last item of a page */
  encode(list: PageTokenScope, after: readonly string[]): string {
    return encryptAesGcm(this.key, Buffer.from(JSON.stringify(after)), toAssociatedData(list)).toString(
      'base64url',
    );
  }

  /** The sort key to go on after; undefined on the first page. @throws AppError 400 `pagination_token_invalid` */
  decode(list: PageTokenScope, token: string | undefined): readonly string[] | undefined {
    if (token === undefined) return undefined;
    const sealed = Buffer.from(token, 'base64url');
    const isCanonical = sealed.toString('base64url') === token;
    const plain = isCanonical ? decryptAesGcm(this.key, sealed, toAssociatedData(list)) : undefined;
    if (!plain) throw paginationTokenInvalid();
    return JSON.parse(plain.toString('utf8')) as string[]; // nobody else can have written it
  }
}

const toAssociatedData = ({ list, caller }: PageTokenScope): string => JSON.stringify(['page', list, caller]);

function paginationTokenInvalid() {
  const message = 'is not a token of this list';
  return badRequest('pagination_token_invalid', `paginationToken: ${message}`, {
    issues: [{ path: 'paginationToken', message }],
  });
}
