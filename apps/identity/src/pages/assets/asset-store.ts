import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';

const FOLDER = join(import.meta.dirname, '..', 'browser');

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

const HASH_DIGITS = 16;

export interface Asset {
  type: string;
  content: Buffer;
}

/**
 * What runs in the browser: modules and the stylesheet, read once. One hash over all of them stands in their path, so that
 * modules name each other as they do in their source, and each of them can be kept for ever.
 */
@Injectable()
export class AssetStore {
  private readonly assets = new Map(readAssets());
  readonly version = versionOf(this.assets);
  /** Where they are for the browser. */
  readonly path = `/pages/${this.version}`;

  find(name: string): Asset | undefined {
    return this.assets.get(name);
  }
}

function readAssets(): [string, Asset][] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((name): [string, Asset][] => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
      return type === undefined ? [] : [[name, { type, content: contentOf(name) }]];
    });
}

/** Without the compiler's pointer to source maps, which are not served. */
function contentOf(name: string): Buffer {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return Buffer.from(text.replace(/^\/\/# sourceMappingURL=.*$/m, '').trimEnd() + '\n');
}

function versionOf(assets: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256');
  for (const [name, { content }] of assets) hash.update(`${name}\0${content.length}\0`).update(content);
  return hash.digest('hex').slice(0, HASH_DIGITS);
}
