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

/**
 * @param encoding the header `Content-Encoding`
 * @throws SafeHttpError `too_large` beyond `maxBytes`, and `bad_answer` for another coding or damaged content
 */
export async function decompress(bytes: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const coding = encoding.trim().toLowerCase();
  if (coding === 'identity' || coding === '') return bytes;
  const decompressor = DECOMPRESSORS[coding];
  if (!decompressor) throw new SafeHttpError('bad_answer', 'the answer is compressed by an unknown method');
  try {
    return await decompressor(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new SafeHttpError('too_large', `the answer is longer than ${maxBytes} bytes`, { cause: error });
    throw new SafeHttpError('bad_answer', 'the compressed answer is damaged', { cause: error });
  }
}
