import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { SafeHttpError } from './safe-http-error.js';

type Decompress = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const gunzip: Decompress = promisify(zlib.gunzip);
const inflate: Decompress = promisify(zlib.inflate);
const inflateRaw: Decompress = promisify(zlib.inflateRaw);

/** Node knows zstd since 22.15. */
const { zstdDecompress } = zlib as { readonly zstdDecompress?: typeof zlib.gunzip };

/** Content codings of RFC 9110. Some servers send what they have stored, although a request accepts none. */
const DECOMPRESSORS: Readonly<Partial<Record<string, Decompress>>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: promisify(zlib.brotliDecompress),
  // Servers send deflate with and without the frame of zlib.
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 0x0f) === 8 ? inflate(bytes, options) : inflateRaw(bytes, options),
  ...(zstdDecompress && { zstd: promisify(zstdDecompress) }),
};

const findDecompressor = (coding: string): Decompress | undefined =>
  Object.hasOwn(DECOMPRESSORS, coding) ? DECOMPRESSORS[coding] : undefined;

/** Codings whose content cannot be read here; zstd before Node 22.15. */
const UNSUPPORTED: readonly string[] = ['zstd', 'compress', 'x-compress', 'dcb', 'dcz'];
/** Servers that compress what is compressed already name two. */
const MAX_CODINGS = 2;

/**
 * Names that are no coding, such as that of a charset, are ignored, as browsers do.
 * @param encoding the header `Content-Encoding`
 * @throws SafeHttpError `too_large` beyond `maxBytes`, and `bad_answer` for more than two codings, one that is not supported, or damaged content
 */
export async function decompress(bytes: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const codings = encoding.split(',').map((name) => name.trim().toLowerCase());
  const decompressors = codings.flatMap((coding) => findDecompressor(coding) ?? []);
  const isSupported = codings.every(
    (coding) => findDecompressor(coding) !== undefined || !UNSUPPORTED.includes(coding),
  );
  if (!isSupported || decompressors.length > MAX_CODINGS)
    throw new SafeHttpError('bad_answer', 'the answer is compressed by a method that is not supported');
  try {
    let content = bytes;
    for (const decompressor of decompressors.reverse())
      content = await decompressor(content, { maxOutputLength: maxBytes });
    return content;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new SafeHttpError('too_large', `the answer is longer than ${maxBytes} bytes`, { cause: error });
    throw new SafeHttpError('bad_answer', 'the compressed answer is damaged', { cause: error });
  }
}
